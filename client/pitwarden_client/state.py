"""Current state of a table from its retained messages, the reasons why it is stale, and the schema versions in use.

A client of an old schema version works while the table publishes that version; otherwise it reports what to do.
"""

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.status import DeviceStatus, LogHead, PartStatus
from pitwarden_client.events.topics import PREFIX, Topics

SILENCE_MS: Final = 25_000  # a log that lives has a tick every ten seconds
NOT_YET: Final = "not connected to the broker yet"
BEHIND_ROWS: Final = 50  # the judge may be so many rows behind while it is busy
LEFT_EPOCHS: Final = 64
"""Number of epochs left by the judge that are still recognized in a late message."""


@dataclass(slots=True)
class TableView:
    """Retained messages of one table, as last received. Times are ms of the reader's clock."""

    state: TableState | None = None
    field_half: PartStatus | None = None
    judge_half: PartStatus | None = None
    devices: Mapping[str, DeviceStatus] = field(default_factory=dict)
    head: LogHead | None = None
    log_ms: int = 0
    """Log time of the newest row received."""
    link_fault: str = NOT_YET
    """Reason why there is no connection; empty while there is one."""
    heard_ms: int = 0
    """Time when the last row was received."""
    _left: deque[str] = field(default_factory=lambda: deque(maxlen=LEFT_EPOCHS))

    def heard_state(self, state: TableState) -> bool:
        """Accept a state, unless it is older than the current one or of an epoch that the judge has left.

        Returns:
            Whether it was accepted.
        """
        old, new = self.state, state.as_of
        # Numbers of two epochs cannot be compared, so a late state of an epoch that was left is recognized by its name.
        if new.epoch in self._left:
            return False
        if old is not None and old.as_of.epoch != new.epoch:
            self._left.append(old.as_of.epoch)
        elif old is not None and new.number < old.as_of.number:
            return False
        self.state = state
        return True

    def heard_row(self, log_ms: int, now_ms: int) -> None:
        """Record a live row."""
        self.log_ms, self.heard_ms = log_ms, now_ms

    def stale(self, now_ms: int) -> tuple[str, ...]:
        """Return why the state may differ from what is true at the table now, as sentences; empty when it does not."""
        if self.link_fault:
            return (self.link_fault,)
        return tuple(self._reasons(now_ms))

    def _reasons(self, now_ms: int) -> list[str]:
        reasons = []
        if self.field_half is None or not self.field_half.online:
            reasons.append("the table's controller is offline")
        if self.judge_half is None or not self.judge_half.online:
            reasons.append("the judge is offline")
        if self.state is None:
            return [*reasons, "there is no state of this table"]
        if self.heard_ms and now_ms - self.heard_ms > SILENCE_MS:
            reasons.append(f"the table has said nothing for {(now_ms - self.heard_ms) // 1000} s")
        if self.head is not None:
            reasons += self._behind(self.state, self.head)
        if self.log_ms > self.state.permit.expires_ms:
            reasons.append("the deal permit was not renewed")
        return reasons

    @staticmethod
    def _behind(state: TableState, head: LogHead) -> list[str]:
        if state.as_of.epoch != head.at.epoch:
            return ["the state is from before the controller's last start"]
        behind = head.at.number - state.as_of.number
        return [f"the judge is {behind} rows behind"] if behind > BEHIND_ROWS else []

    def device(self, name: str) -> DeviceStatus | None:
        """Return a device's status, `lost` while the field half is offline; None for an unknown device."""
        known = self.devices.get(name)
        if known is None or (self.field_half is not None and self.field_half.online):
            return known
        return known.model_copy(update={"state": "lost", "reason": "the table's controller is offline"})


_NAME, _OURS = PREFIX.split("/")
_ADDRESS: Final = re.compile(rf"{_NAME}/(v[0-9]{{1,4}})/")


class VersionMonitor:
    """Monitor of the field half's status under every schema version."""

    def __init__(self, topics: Topics) -> None:
        self._below = topics.root.removeprefix(PREFIX)
        self._online: dict[str, bool] = {}
        self.filters = (f"{_NAME}/+{self._below}/status/+",)

    @property
    def refused(self) -> str:
        """Reason why this client cannot continue: the table publishes other versions only. Empty while it can."""
        others = sorted(version for version, online in self._online.items() if online and version != _OURS)
        if not others or self._online.get(_OURS):
            return ""
        spoken, known = ", ".join(each[1:] for each in others), _OURS[1:]
        return (
            f"the table {self._below[1:]} speaks schema version {spoken}; this client knows version {known} alone. "
            f"Update pitwarden here, or let the table speak version {known} too"
        )

    def on_status(self, topic: str, payload: bytes) -> None:
        """Handle a status. Only the field half's names a version; of another version only `online` is read."""
        found = _ADDRESS.match(topic)
        if found is None or not topic.endswith(f"{self._below}/status/field"):
            return
        self._online[found[1]] = _online(payload) if found[1] == _OURS else b'"online":true' in payload


def _online(payload: bytes) -> bool:
    try:
        return decode(PartStatus, payload).online
    except BadPayloadError:
        return False
