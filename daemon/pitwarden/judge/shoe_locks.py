"""Which shoe is to be locked or unlocked: locked between rounds while dealing is withheld, unlocked with the permit.

What a shoe is, is known from the rows that came since the judge or the shoe started; before that it is asked for once.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from pitwarden_client.events.device import CommandName, DeviceCommand, DeviceIdentified, DeviceOrder, DeviceRestarted
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.table import EpochOpened

AGAIN_MS: Final = 10_000  # the log ticks as often; a command that was refused or lost is asked for again


class ShoeLocks:
    """The `shoes` of one table that may be locked; `run` tells this start of the judge from others."""

    def __init__(self, shoes: Iterable[str], run: str) -> None:
        self._shoes, self._run = sorted(shoes), run
        self._is: dict[str, CommandName] = {}
        self._asked: dict[str, tuple[CommandName, int]] = {}

    def __bool__(self) -> bool:
        """Whether there is anything to lock."""
        return bool(self._shoes)

    def on_row(self, row: LogEvent) -> None:
        """Follows the log: what a shoe has done, and when nothing is known of it any more."""
        device, data = row.source.rpartition("/")[2], row.data
        if isinstance(data, EpochOpened):
            self._is.clear()
            self._asked.clear()
        elif isinstance(data, DeviceIdentified | DeviceRestarted):
            self._is.pop(device, None)
            self._asked.pop(device, None)
        elif isinstance(data, DeviceCommand) and data.command != "report_count":
            if data.outcome == "done":
                self._is[device] = data.command
            elif data.outcome == "timeout":
                self._is.pop(device, None)  # it may have been done, and the answer lost

    def due(self, state: TableState, log_ms: int) -> Iterator[tuple[str, DeviceOrder]]:
        """The commands that `state` asks for at `log_ms`, with their devices; each again when nothing came of it."""
        wanted = _wanted(state)
        for shoe in self._shoes:
            asked, at_ms = self._asked.get(shoe, ("", 0))
            if wanted is None or self._is.get(shoe) == wanted or (asked == wanted and log_ms - at_ms < AGAIN_MS):
                continue
            self._asked[shoe] = wanted, log_ms
            ident = f"{wanted}-{state.as_of.number}-{self._run}"
            yield shoe, DeviceOrder(id=ident, command=wanted, as_of=state.as_of, until_ms=state.permit.expires_ms)


def _wanted(state: TableState) -> Literal["lock", "unlock"] | None:
    """In a round nothing is locked; a shoe that was locked before it is unlocked as soon as dealing is permitted."""
    if state.permit.granted:
        return "unlock"
    return None if state.in_round else "lock"
