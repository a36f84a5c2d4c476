"""Complete night at one table as one script: opening, rounds with a fault now and then, until all have happened."""

from collections.abc import Sequence
from typing import Final, Protocol

from pitwarden_simulators.faults.fault import Fault
from pitwarden_simulators.faults.injectors import RIGS
from pitwarden_simulators.table.actions import DeviceName, Script
from pitwarden_simulators.table.blitz_round import CbDealer
from pitwarden_simulators.table.family_round import DabDealer, IbDealer, ShDealer
from pitwarden_simulators.table.floor import SimulatedFloor
from pitwarden_simulators.table.setup import Game
from pitwarden_simulators.table.table import SimulatedTable
from pitwarden_simulators.table.triple_attack_round import TabDealer

_SHIFT: Final = 25
_MOST_EXTRA: Final = 200


class _Game(Protocol):
    def open(self) -> Script[None]: ...

    def between(self) -> Script[None]: ...

    def play_round(self) -> Script[None]: ...


class _Tab(TabDealer):
    def open(self) -> Script[None]:
        yield from self.first_shoe(tens=True)

    def between(self) -> Script[None]:
        if self.table.round % _SHIFT == 0 and self.table.round:
            yield from self.relieve(f"d{self.table.round // _SHIFT % 3 + 1}")


class _Cb(CbDealer):
    def open(self) -> Script[None]:
        yield from self.first_decks()

    def between(self) -> Script[None]:
        if self.table.mishap("other_method"):
            yield from self.other_method()


class _Dab(_Tab, DabDealer):
    """Double attack blackjack for a night."""


class _Ib(_Tab, IbDealer):
    """Blackjack with the in-between wager for a night."""


class _Sh(_Tab, ShDealer):
    """Switch Hands for a night."""


_GAMES: Final[dict[Game, type[_Tab | _Cb]]] = {
    "triple-attack-blackjack": _Tab,
    "double-attack-blackjack": _Dab,
    "three-card-blitz": _Cb,
    "blackjack-in-between": _Ib,
    "switch-hands": _Sh,
}


class TableNight:
    """People of one table for a night of at least `rounds` rounds with each of `faults` once."""

    def __init__(self, table: SimulatedTable, rounds: int, faults: Sequence[Fault] = ()) -> None:
        self.table = table
        self._rounds = rounds
        self._faults = list(faults)
        self._floor = SimulatedFloor(table.setup.cards)
        self._game: _Game = _GAMES[table.setup.game](table, self._floor)

    def script(self) -> Script[None]:
        """Run the night from the table's opening to its last round.

        Raises:
            RuntimeError: A fault finds no opportunity.
        """
        self._rig()
        yield from self._open()
        while self.table.round < self._rounds or self._faults or self.table.pending:
            if self.table.round > self._rounds + _MOST_EXTRA:
                raise RuntimeError(f"no opportunity for {', '.join(f.name for f in self.table.pending.values())}")
            yield from self._game.between()
            if self.table.round:
                self._rig()
                self.table.happened("next round", ahead=1)
            yield from self._game.play_round()
        yield from self._floor.attend()

    def _open(self) -> Script[None]:
        yield from self._floor.open_table()
        devices: list[DeviceName] = ["shoe", "shuffler"]
        if self.table.reader is not None:
            devices.append("reader")
        for device in devices:
            if device == "shuffler" and self.table.mishap("uninspected"):
                self.table.uninspected.add(device)
            else:
                yield from self._floor.inspect(device)
        yield from self._game.open()

    def _rig(self) -> None:
        """Prepare the next fault, if its time has come."""
        table = self.table
        if not self._faults or (table.round == 0) != (self._faults[0].trigger == "uninspected"):
            return
        if self._faults[0].alone and table.pending:
            return
        fault = self._faults.pop(0)
        table.pending[fault.trigger] = fault
        RIGS[fault.rig](table)
