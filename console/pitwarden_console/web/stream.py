"""Stream of server-sent events of one page: the complete page first, then what changes, and a beat every second.

The beat is what makes a page live. Its data is the console's time, so that a page measures ages by it and not by the
clock of a device.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Final

from pitwarden_console.clock import ConsoleClock
from pitwarden_console.site_time import SiteTime
from pitwarden_console.web.hub import LiveHub, LivePart

# Seconds between two beats of a page's stream. A page that misses beats shows itself as not live.
BEAT_S: Final = 1.0
MAX_STREAMS: Final = 300  # readers of one console: a pit has some ten; each takes about 100 kB


class EventStream:
    """Maker of event streams."""

    def __init__(self, hub: LiveHub, clock: ConsoleClock, time: SiteTime, build: str) -> None:
        self._hub, self._clock, self._time, self._build = hub, clock, time, build

    @property
    def is_full(self) -> bool:
        """True while no further stream is accepted."""
        return self._hub.readers >= MAX_STREAMS

    async def events(
        self, parts: Sequence[LivePart], has_ended: Callable[[], bool] = lambda: False
    ) -> AsyncGenerator[bytes, None]:
        """Yield the events of a page that has `parts`, until the reader leaves, is too slow, or the console stops."""
        reader = self._hub.subscribe(parts)
        try:
            yield b"retry: 1000\n\n"
            yield self._beat()
            yield _event("parts", reader.fill())
            loop = asyncio.get_running_loop()
            due = loop.time() + BEAT_S
            while not (reader.overrun or self._hub.closed):
                try:
                    async with asyncio.timeout_at(due):
                        update = await reader.queue.get()
                    yield _event("parts", update)
                except TimeoutError:
                    due += BEAT_S
                    if has_ended():
                        yield _event("over", {})
                        return
                    yield self._beat()
        finally:
            self._hub.unsubscribe(reader)

    def _beat(self) -> bytes:
        now_ms = self._clock.utc_ms()
        beat = {
            "ms": now_ms,
            "moment": self._time.moment(now_ms),
            "clock": self._time.clock(now_ms),
            "momentUtc": self._time.moment_utc(now_ms),
            "clockUtc": self._time.clock_utc(now_ms),
            "build": self._build,
        }
        return _event("beat", beat)


def _event(name: str, data: Mapping[str, object]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()
