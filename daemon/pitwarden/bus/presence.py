"""The retained status of a half: birth, will, and correction.

Threat: the will of an old connection that arrives late, and any other client that may write to the topic.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

# Shortest seconds between two corrections of a status that another client replaced. It doubles up to MOST_SECONDS.
REASSERT_SECONDS: Final = 1.0
MOST_SECONDS: Final = 30.0  # as often as a permit is renewed; a wrong status stays no longer
_REMEMBERED: Final = 16  # our own last statuses, as the broker gives them back to us


@dataclass(frozen=True, slots=True)
class Presence:
    """Retained status of a half: its content while online, and the offline content that it or the broker publishes."""

    topic: str
    online: Callable[[], bytes]
    offline: bytes
    on_foreign: Callable[[bytes], None] = lambda _payload: None
    """Receives what others publish on the topic while we are online; not what the broker had retained."""


class PresencePublisher:
    """Publisher of one status through the link's `publish`, which restores it after a foreign message."""

    def __init__(self, presence: Presence, publish: Callable[..., "asyncio.Future[None]"]) -> None:
        self._presence, self._publish = presence, publish
        self._published: deque[bytes] = deque(maxlen=_REMEMBERED)
        self._again: asyncio.TimerHandle | None = None
        self._pause = REASSERT_SECONDS

    @property
    def topic(self) -> str:
        """Topic of the status."""
        return self._presence.topic

    @property
    def will(self) -> tuple[str, bytes]:
        """Topic and content that are published when the half ends."""
        return self._presence.topic, self._presence.offline

    def publish(self, publish: Callable[..., "asyncio.Future[None]"] | None = None) -> "asyncio.Future[None]":
        """Publish the status as it is now; through `publish` while the link is not yet up."""
        status = self._presence.online()
        self._published.append(status)
        return (publish or self._publish)(self._presence.topic, status, retain=True)

    def on_echo(self, payload: bytes, *, retained: bool) -> None:
        """Handle a message on the status topic. If it is not one of ours, the status is published again soon.

        Two runs that correct each other do so ever more slowly.
        """
        if payload in self._published:
            return
        if not retained:
            self._presence.on_foreign(payload)
        if self._again is None:
            self._again = asyncio.get_running_loop().call_later(self._pause, self._correct)
            self._pause = min(2 * self._pause, MOST_SECONDS)

    def down(self) -> None:
        """Handle the loss of the link. Nothing is corrected until it is up again."""
        if self._again is not None:
            self._again.cancel()
            self._again = None
        self._pause = REASSERT_SECONDS

    def _correct(self) -> None:
        self._again = None
        self.publish()
