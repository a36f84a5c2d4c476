"""The retained status of a half: what it says while online, what is said when it goes, and that it stays true.

The adversary is an old connection's will that comes late, and whoever else may write to the topic.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

REASSERT_SECONDS: Final = 1.0
_REMEMBERED: Final = 16  # our own last statuses, as the broker gives them back to us


@dataclass(frozen=True, slots=True)
class Presence:
    """The retained status of this half: what it says while online, and what it or the broker says when it goes."""

    topic: str
    online: Callable[[], bytes]
    offline: bytes


class PresencePublisher:
    """`presence` as the broker has it; `publish` is the link's."""

    def __init__(self, presence: Presence, publish: Callable[..., "asyncio.Future[None]"]) -> None:
        self._presence, self._publish = presence, publish
        self._published: deque[bytes] = deque(maxlen=_REMEMBERED)
        self._again: asyncio.TimerHandle | None = None

    @property
    def topic(self) -> str:
        """Where it is said."""
        return self._presence.topic

    @property
    def will(self) -> tuple[str, bytes]:
        """Topic and content of what is said when the half goes."""
        return self._presence.topic, self._presence.offline

    def publish(self, publish: Callable[..., "asyncio.Future[None]"] | None = None) -> "asyncio.Future[None]":
        """Says it as it is now; with `publish` while the link does not stand yet."""
        status = self._presence.online()
        self._published.append(status)
        return (publish or self._publish)(self._presence.topic, status, retain=True)

    def on_echo(self, payload: bytes) -> None:
        """This came on the topic while the link stands: if we did not say it, what is true is said again soon."""
        if payload not in self._published and self._again is None:
            self._again = asyncio.get_running_loop().call_later(REASSERT_SECONDS, self._correct)

    def down(self) -> None:
        """The link is gone: nothing is corrected until it stands again."""
        if self._again is not None:
            self._again.cancel()
            self._again = None

    def _correct(self) -> None:
        self._again = None
        self.publish()
