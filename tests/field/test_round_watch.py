"""The watch is at least as strict as the rules: whenever a round is open for them, it may be open for the watch."""

from pathlib import Path

import pytest

from pitwarden.field.inputs.round_watch import RoundWatch
from pitwarden.field.log.row_builder import Plain
from pitwarden.rules.state.entry import LogEntry, RuleOutput
from pitwarden.rules.state.state import RulesState
from pitwarden.scenario.parser import parse_scenario
from pitwarden.scenario.player import play_scenario
from pitwarden_client.events.card_faces import Sealed
from pitwarden_client.events.dealer_play import KpDeal, KpDealer, KpRoundEnd
from pitwarden_client.events.device import (
    DeviceGap,
    DeviceHealth,
    DeviceRestarted,
    ReaderResult,
    ShoeCard,
    ShoeStack,
    ShufflerDone,
)
from pitwarden_client.events.envelope import GENESIS, LogData, LogEvent, rfc3339
from pitwarden_client.events.floor import FtInspect, Retract
from pitwarden_client.events.inputs import Act, InputLogged
from pitwarden_client.events.table import ClockTick, LogFault
from pitwarden_drivers.api import PlainAnswer, PlainCard, PlainStack, Secret

SCENARIOS = Path(__file__).parents[1] / "scenarios"
EVERY = 5
"""Each fifth scenario is played. A change of the watch deserves a run with 1."""
CARD = PlainCard(face=Secret(7))


def keyed(act: Act) -> InputLogged:
    return InputLogged(role="dealer", terminal="pad", person="p7", input_id="i1", as_of=None, act=act)


def row(data: LogData, number: int) -> LogEvent:
    return LogEvent(
        id=f"e1/{number}", source="/s/t/x", type="pitwarden.x", time=rfc3339(0), epoch="e1", logms=0, prevhash=GENESIS,
        simulated=True, tableseq=number, clocksync=True, clockerror=0, data=data,
    )  # fmt: skip


class Log:
    """Log whose rows are committed by the test."""

    def __init__(self) -> None:
        self.watch = RoundWatch()
        self.number = 0

    def logged(self, *contents: Plain) -> bool:
        for content in contents:
            self.watch.offered(content, taken=True)
            self.commit(content)
        return self.watch.may_be_open

    def commit(self, content: Plain) -> None:
        self.number += 1
        self.watch.logged(row(_row_data(content), self.number))


def _row_data(content: Plain) -> LogData:
    """Return the content as its row has it: the watch must not need the face."""
    if isinstance(content, PlainCard):
        return ShoeCard(face=Sealed(key="k1", box="A" * 96, commitment="0" * 64))
    if isinstance(content, PlainStack):
        return ShoeStack(count=content.count)
    assert not isinstance(content, PlainAnswer)
    return content


END = keyed(KpRoundEnd())


def test_a_new_epoch_does_not_know_until_a_round_ends() -> None:
    log = Log()
    assert log.watch.may_be_open
    assert log.logged(ClockTick(), keyed(KpDealer(dealer="d1")))
    assert not log.logged(END)


@pytest.mark.parametrize(
    "content",
    [
        CARD,
        PlainStack(count=3, faces=()),
        DeviceGap(first=3, last=4),
        DeviceRestarted(boot=2),
        DeviceHealth(state="lost", reason="unplugged"),
        LogFault(fault="queue_overflow", detail="lost", lost=1),
        keyed(KpDeal()),
        keyed(Retract(number=1)),
    ],
    ids=lambda content: type(content).__name__,
)
def test_what_may_bring_a_card_out_counts_until_the_next_end(content: Plain) -> None:
    log = Log()
    assert not log.logged(END)
    assert log.logged(content)
    assert log.logged(ClockTick())
    assert not log.logged(END)


@pytest.mark.parametrize(
    "content",
    [
        ClockTick(),
        DeviceHealth(state="online", reason="heard"),
        ShufflerDone(deck="A"),
        keyed(KpDealer(dealer="d1")),
        keyed(FtInspect(device="shoe", ok=True)),
        keyed(Retract(number=9)),
    ],
    ids=lambda content: type(content).__name__,
)
def test_what_brings_no_card_out_changes_nothing(content: Plain) -> None:
    log = Log()
    assert not log.logged(END, content)


def test_a_card_counts_before_its_commit() -> None:
    log = Log()
    assert not log.logged(END)
    log.watch.offered(CARD, taken=True)
    assert log.watch.may_be_open
    log.commit(CARD)
    assert log.watch.may_be_open


def test_an_end_before_a_card_that_waits_does_not_cover_it() -> None:
    log = Log()
    log.watch.offered(END, taken=True)
    assert log.watch.may_be_open, "the commit of the end may fail"
    log.watch.offered(CARD, taken=True)
    log.commit(END)
    assert log.watch.may_be_open
    log.commit(CARD)
    assert not log.logged(END)


def test_a_card_that_the_log_did_not_take_is_out_all_the_same() -> None:
    log = Log()
    assert not log.logged(END)
    log.watch.offered(CARD, taken=False)
    assert log.watch.may_be_open
    log.watch.offered(END, taken=False)
    assert log.watch.may_be_open, "an end that was not taken is no end"
    assert not log.logged(END)


def test_it_is_never_less_strict_than_the_rules() -> None:
    compared = 0
    for path in sorted(SCENARIOS.rglob("*.scn"))[::EVERY]:
        log = Log()

        def follow(entry: LogEntry, state: RulesState, _outputs: tuple[RuleOutput, ...]) -> None:
            nonlocal compared
            data = entry.data
            if isinstance(data, ShoeCard | ReaderResult):
                plain: Plain = CARD
            else:
                plain = PlainStack(count=data.count, faces=()) if isinstance(data, ShoeStack) else data
            log.number = entry.number - 1  # noqa: B023  called within this turn
            may_be_open = log.logged(plain)  # noqa: B023  called within this turn
            assert may_be_open or not state.round.open, f"{path.name}, row {entry.number}"  # noqa: B023  as above
            compared += not may_be_open

        play_scenario(parse_scenario(path.read_text(), path.name), follow)
    assert compared > 100, "rows between two rounds were compared"
