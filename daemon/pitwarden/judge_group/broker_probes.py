"""Probes of the brokers: a member without a broker gives its tables back, and claims them again once it has one.

A link that is down proves nothing: a process that has just claimed many tables, or waits for a processor, links late.
Tables that went from one slow member to the next would be judged by none.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Never

import structlog

from pitwarden.judge_group.seat import TableSeat

UNLINKED_S: Final = 0.5
"""Time without a link after which the broker is probed. A table whose broker does not answer is given back."""
LINK_CHECK_S: Final = 0.25
"""Time between two checks of the links."""
PROBE_S: Final = 1.0
"""Time between two attempts to reach the broker of tables that were given back: until one succeeds, none is claimed."""

_log = structlog.get_logger()


class BrokerProbes:
    """Probes for the seats of the member `name`; `now_s` is the monotonic clock of the process in seconds."""

    def __init__(self, seats: Mapping[str, TableSeat], now_s: Callable[[], float], name: str) -> None:
        self._seats, self._now_s, self._name = seats, now_s, name

    async def run(self) -> Never:
        """Probe until cancelled."""
        probed_s = self._now_s()
        while True:
            now = self._now_s()
            unlinked = self._unlinked(now)
            cut_off = [seat for seat in self._seats.values() if seat.is_cut_off] if now - probed_s >= PROBE_S else []
            probed_s = now if cut_off else probed_s
            answers = await _probe((*unlinked, *cut_off))
            for seat in unlinked:
                seat.linked_s = self._now_s()
                if not answers[seat.broker] and seat.claim is not None and not seat.ending.is_set():
                    _log.warning("table given back", member=self._name, table=seat.table, reason="no broker")
                    seat.is_cut_off = True
                    seat.ending.set()
            for seat in cut_off:
                seat.is_cut_off = not answers[seat.broker]
            await asyncio.sleep(LINK_CHECK_S)

    def _unlinked(self, now: float) -> list[TableSeat]:
        """Return the seats whose judge has had no link for UNLINKED_S."""
        for seat in self._seats.values():
            if seat.claim is None or seat.is_linked is None or seat.is_linked():
                seat.linked_s = now
        return [seat for seat in self._seats.values() if now - seat.linked_s >= UNLINKED_S]


async def _probe(seats: Iterable[TableSeat]) -> dict[str, bool]:
    """Return which of the brokers of `seats` answer. One table asks for all with the same broker."""
    asking = {seat.broker: seat for seat in seats}
    answers = await asyncio.gather(*(seat.reachable() for seat in asking.values()))
    return dict(zip(asking, answers, strict=True))
