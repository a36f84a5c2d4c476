"""Sealed rows: an in-memory night's as a real field half would log them, and the keys of one epoch."""

from dataclasses import dataclass
from functools import cache

from pitwarden.field.log.row_builder import BuiltRow, LogIdentity, PendingRow, Plain, RowBuilder
from pitwarden.judge.table_judge import RowSource, TableIdentity, TableJudge
from pitwarden.judge.unsealing import RowUnsealer
from pitwarden.seal.keys import PrivateKey, SigningKey
from pitwarden.seal.sealing import Opener, Sealer
from pitwarden.seal.signed_rows import sign_epoch_opened
from pitwarden_client.verification.signed_rows import SigningScope
from pitwarden_simulators.in_memory.rows import unsealed
from pitwarden_simulators.table.setup import TAB_SHIELDED, SimulatedTableSetup
from pitwarden_tools.simulation.table_rules import rules_setup
from testkit.clocks.fake_clock import FakeClock
from testkit.nights.in_memory_night import play

SIGNER = SigningKey.generate()
PRIVATE = PrivateKey.generate()
SITE = "rig"


@cache
def sealed_night(setup: SimulatedTableSetup = TAB_SHIELDED, rounds: int = 3) -> tuple[BuiltRow, ...]:
    """Return the rows of an honest night, epoch and key first."""
    clock = FakeClock()
    rows = RowBuilder(LogIdentity(SITE, setup.table, simulated=True), "e1", clock, 0)
    scope = SigningScope(SITE, setup.table, "e1")
    rows.sealer = Sealer(SIGNER, scope, "k1", [PRIVATE.public_key])
    first: list[Plain] = [sign_epoch_opened(SIGNER, scope, None, "none"), rows.sealer.announcement]
    built = [rows.build(PendingRow("table", said)) for said in first]
    start = clock.mono
    for row in play(setup, "3", rounds).rows:
        clock.mono, clock.utc_now = start + row.log_ms, row.utc_ms
        built.append(rows.build(PendingRow(row.source, unsealed(row))))
    return tuple(built)


def unsealer(setup: SimulatedTableSetup = TAB_SHIELDED, trusted: str = SIGNER.public) -> RowUnsealer:
    return RowUnsealer(Opener([PRIVATE], [trusted], SITE, setup.table), (trusted,), SITE, setup.table)


def table_judge(journal: RowSource, setup: SimulatedTableSetup = TAB_SHIELDED) -> TableJudge:
    return TableJudge(TableIdentity(SITE, setup.table, "judge"), rules_setup(setup), unsealer(setup), journal)


@dataclass(frozen=True)
class EpochKeys:
    """Signing key of a field half, key of a judge, the sealer of one epoch, and an opener with its key."""

    scope: SigningScope
    signer: SigningKey
    judge: PrivateKey
    sealer: Sealer
    opener: Opener


def epoch_keys(epoch: str = "e1") -> EpochKeys:
    """Return new keys at `site`, `t1`."""
    scope = SigningScope("site", "t1", epoch)
    signer, judge = SigningKey.generate(), PrivateKey.generate()
    sealer = Sealer(signer, scope, f"{epoch}-1", [judge.public_key])
    opener = Opener([judge], [signer.public], scope.site, scope.table)
    opener.add_key(epoch, sealer.announcement)
    return EpochKeys(scope, signer, judge, sealer, opener)
