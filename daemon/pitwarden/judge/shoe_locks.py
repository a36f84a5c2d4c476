"""Lock commands for shoes: locked between rounds while dealing is withheld, unlocked with the permit.

The lock of a shoe is known from its rows since the start of the judge or of the shoe. Before that, one command is sent.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from pitwarden_client.events.device import CommandName, DeviceCommand, DeviceIdentified, DeviceOrder, DeviceRestarted
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.table import EpochOpened

LOCK_EVENTS: Final = (EpochOpened, DeviceIdentified, DeviceRestarted, DeviceCommand)
"""Rows that `ShoeLocks.on_row` follows; all others say nothing about a lock."""
# Log time in ms after which a command without effect is repeated: the interval of ticks, so each tick may repeat it.
AGAIN_MS: Final = 10_000


class ShoeLocks:
    """Locks of the lockable `shoes` of one table. `run` makes command ids unique among starts of the judge."""

    def __init__(self, shoes: Iterable[str], run: str) -> None:
        self._shoes, self._run = sorted(shoes), run
        self._is: dict[str, CommandName] = {}
        self._asked: dict[str, tuple[CommandName, int]] = {}

    def __bool__(self) -> bool:
        """Return whether any shoe can be locked."""
        return bool(self._shoes)

    def on_row(self, row: LogEvent) -> None:
        """Follow the rows of LOCK_EVENTS: what a shoe has done, and when its lock is unknown again."""
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
                # The shoe may have obeyed, and only the answer was lost.
                self._is.pop(device, None)

    def due(self, state: TableState, log_ms: int) -> Iterator[tuple[str, DeviceOrder]]:
        """Yield the commands that `state` requires at `log_ms`, with their devices.

        A command without effect is repeated after AGAIN_MS.
        """
        wanted = _wanted(state)
        for shoe in self._shoes:
            asked, at_ms = self._asked.get(shoe, ("", 0))
            if wanted is None or self._is.get(shoe) == wanted or (asked == wanted and log_ms - at_ms < AGAIN_MS):
                continue
            self._asked[shoe] = wanted, log_ms
            ident = f"{wanted}-{state.as_of.number}-{self._run}"
            yield shoe, DeviceOrder(id=ident, command=wanted, as_of=state.as_of, until_ms=state.permit.expires_ms)


def _wanted(state: TableState) -> Literal["lock", "unlock"] | None:
    """Return the command that the state requires; None during a round, in which no shoe is locked.

    A shoe that was locked before the round is unlocked as soon as dealing is permitted.
    """
    if state.permit.granted:
        return "unlock"
    return None if state.in_round else "lock"
