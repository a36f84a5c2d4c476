"""Log of a simulated table as its field half would send it: numbered, sealed, chained, signed; no devices."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from pitwarden.field.log.row_builder import BuiltRow, LogIdentity, PendingRow, Plain, RowBuilder
from pitwarden.seal.keys import PublicKey, SigningKey
from pitwarden.seal.sealing import Sealer
from pitwarden.seal.signed_rows import sign_epoch_opened
from pitwarden.system.clock import UtcReading
from pitwarden_client.events.topics import Topics
from pitwarden_client.verification.signed_rows import SigningScope
from pitwarden_drivers.tdp import DRIVER
from pitwarden_simulators.in_memory.rows import InMemoryRow, unsealed
from pitwarden_simulators.in_memory.runner import PureRunner
from pitwarden_simulators.table.actions import TableDisplay
from pitwarden_simulators.table.night import TableNight
from pitwarden_simulators.table.setup import TAB_SHIELDED, SimulatedTableSetup
from pitwarden_simulators.table.table_builder import build

SITE: Final = "bench"
EPOCH: Final = "e1"
START_MS: Final = 1_772_474_400_000  # an evening: no gaming day begins within the night


@dataclass
class ScriptClock:
    """Clock that shows the time of the script."""

    mono: int = 0
    start_utc_ms: int = START_MS

    def mono_ms(self) -> int:
        """Return the milliseconds of the script."""
        return self.mono

    def utc(self) -> UtcReading:
        """Return the UTC time of the evening that the script plays in."""
        return UtcReading(self.start_utc_ms + self.mono, synchronised=True, error_ms=3)

    def boot_id(self) -> str:
        """Return no id: the script is not continued."""
        return ""


@lru_cache(maxsize=8)
def script(setup: SimulatedTableSetup = TAB_SHIELDED, rounds: int = 3) -> tuple[InMemoryRow, ...]:
    """Return the rows of an honest night without a judge."""
    rows: list[InMemoryRow] = []

    def heard(row: InMemoryRow) -> TableDisplay:
        rows.append(row)
        return TableDisplay()

    built = build(setup, "bench", heartbeat_ms=10_000)
    PureRunner(built.devices, DRIVER, heard, start_ms=START_MS).play(TableNight(built.table, rounds).script())
    return tuple(rows)


class Feed:
    """Log of one table, row by row; it repeats when the script ends."""

    def __init__(  # noqa: PLR0917  the last ones are seldom given
        self,
        table: str,
        signer: SigningKey,
        judge: PublicKey,
        rounds: int = 3,
        utc_ms: int = START_MS,
        setup: SimulatedTableSetup = TAB_SHIELDED,
    ) -> None:
        self.topics = Topics(SITE, table)
        self._clock = ScriptClock(start_utc_ms=utc_ms)
        self._rows = RowBuilder(LogIdentity(SITE, table, simulated=True), EPOCH, self._clock, 0)
        scope = SigningScope(SITE, table, EPOCH)
        self._rows.sealer = Sealer(signer, scope, "k1", [judge])
        self._first: list[Plain] = [sign_epoch_opened(signer, scope, None), self._rows.sealer.announcement]
        self._script, self._at, self._offset = script(setup, rounds), 0, 0

    def __iter__(self) -> Iterator[BuiltRow]:
        return self

    def __next__(self) -> BuiltRow:
        if self._first:
            return self._rows.build(PendingRow("table", self._first.pop(0)))
        if self._at == len(self._script):
            self._at, self._offset = 0, self._clock.mono + 1_000
        row = self._script[self._at]
        self._at += 1
        self._clock.mono = self._offset + row.log_ms
        return self._rows.build(PendingRow(row.source, unsealed(row)))

    def topic(self, built: BuiltRow) -> str:
        """Return the topic of the row."""
        data = built.event.data
        return self.topics.event(built.event.source.rpartition("/")[2], data.kind)


def named(table: str) -> SimulatedTableSetup:
    """Return the benchmark's table with another name."""
    return replace(TAB_SHIELDED, table=table)
