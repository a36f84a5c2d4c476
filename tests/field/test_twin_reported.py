"""A second run of a half is a fault in its status, and the field half's also holds the table through the log."""

from pathlib import Path

from pitwarden.bus.presence import Presence
from pitwarden.field.half import FieldHalf
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.judge.half import JudgeHalf
from pitwarden_client.events.codec import decode, encode
from pitwarden_client.events.status import PartStatus
from pitwarden_simulators.table.setup import TAB_SHIELDED
from pitwarden_tools.simulation.halves import field_half, judge_half
from testkit.clocks.fake_clock import FakeClock


def presence(half: FieldHalf | JudgeHalf) -> Presence:
    status = half.link._status  # noqa: SLF001  the link's own part
    assert status is not None
    return status._presence  # noqa: SLF001  as above


def faults(half: FieldHalf | JudgeHalf) -> tuple[str, ...]:
    return tuple(fault.partition(":")[0] for fault in decode(PartStatus, presence(half).online()).faults)


async def test_both_halves_report_a_twin_until_it_ends(tmp_path: Path) -> None:
    log, record = await FieldJournal.open(tmp_path / "field.sqlite"), await JudgeJournal.open(tmp_path / "judge.sqlite")
    clock = FakeClock()
    field, judge = await field_half(TAB_SHIELDED, clock, log, {}), await judge_half(TAB_SHIELDED, record, clock)
    waiting = field._pieces.log.waiting  # noqa: SLF001  the parts of a half
    for half in (field, judge):
        presence(half).on_foreign(encode(PartStatus(online=True, run="another")))
        assert faults(half) == ("client_id_conflict",)
    assert field._pieces.log.waiting == waiting + 1  # noqa: SLF001  as above
    for half in (field, judge):
        presence(half).on_foreign(encode(PartStatus(online=False, run="another")))
        assert faults(half) == ()
    await log.close()
    await record.close()
