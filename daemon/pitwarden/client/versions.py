"""Which schema versions a table speaks. A client of an old one goes on while it is spoken, else it says what to do."""

import re
from typing import Final

from pitwarden.events.codec import BadPayloadError, decode
from pitwarden.events.status import PartStatus
from pitwarden.events.topics import PREFIX, Topics

_NAME, _OURS = PREFIX.split("/")
_ADDRESS: Final = re.compile(rf"{_NAME}/(v[0-9]{{1,4}})/")


class Versions:
    """Hears the field half's status under every version."""

    def __init__(self, topics: Topics) -> None:
        self._below = topics.root.removeprefix(PREFIX)
        self._online: dict[str, bool] = {}
        self.filters = (f"{_NAME}/+{self._below}/status/+",)

    @property
    def refused(self) -> str:
        """Why this client cannot go on: only other versions are spoken. Empty while it can."""
        others = sorted(version for version, online in self._online.items() if online and version != _OURS)
        if not others or self._online.get(_OURS):
            return ""
        spoken, known = ", ".join(each[1:] for each in others), _OURS[1:]
        return (
            f"the table {self._below[1:]} speaks schema version {spoken}; this client knows version {known} alone. "
            f"Update pitwarden here, or let the table speak version {known} too"
        )

    def heard(self, topic: str, payload: bytes) -> None:
        """A status came; only the field half's tells of versions, and of another version only `online` is read."""
        found = _ADDRESS.match(topic)
        if found is None or not topic.endswith(f"{self._below}/status/field"):
            return
        self._online[found[1]] = _online(payload) if found[1] == _OURS else b'"online":true' in payload


def _online(payload: bytes) -> bool:
    try:
        return decode(PartStatus, payload).online
    except BadPayloadError:
        return False
