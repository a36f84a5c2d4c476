"""The comparison finds what was missed, invented, wrong in verdict, order or round, and what stayed open."""

from pitwarden_client.events.outputs import Irregularity, Notice, Verdict
from pitwarden_simulators.faults.fault import Expected
from pitwarden_simulators.faults.verdict_log import VerdictLog

RACK, VOID = frozenset({"RACK"}), frozenset({"VOID", "SHUFFLE"})


def said(ref: str, catalogue: str, *verdicts: Verdict, round_: int = 3, status: str = "open") -> Irregularity:
    return Irregularity.model_validate(
        {
            "ref": ref, "catalogue": catalogue, "clauses": ("c",), "verdicts": verdicts, "basis": "text",
            "status": status, "actor": "dealer", "clears": "", "sentence": "", "round": round_,
        }
    )  # fmt: skip


def book(*heard: Irregularity) -> VerdictLog:
    made = VerdictLog()
    for one in heard:
        made.record(one, 0)
        made.record(one.model_copy(update={"status": "cleared"}), 0)
    return made


def test_what_was_said_as_expected_agrees() -> None:
    lines = book(said("1", "TAB-36", "RACK"), said("2", "TAB-36", "SHUFFLE", "VOID")).compare(
        [Expected("f", "TAB-36", RACK, 3), Expected("f", "TAB-36", VOID, 3)]
    )
    assert [line.agrees for line in lines] == [True, True]


def test_a_changed_verdict_is_said_twice() -> None:
    lines = book(said("1", "TAB-47", "HOLD"), said("1", "TAB-47", "DEAD")).compare(
        [Expected("f", "TAB-47", frozenset({"HOLD"}), 3), Expected("f", "TAB-47", frozenset({"DEAD"}), 3)]
    )
    assert [line.agrees for line in lines] == [True, True]


def test_a_notice_with_a_verdict_counts_and_one_without_does_not() -> None:
    made = VerdictLog()
    for words in (("RACK",), ("CONTINUE",), ()):
        made.record(Notice.model_validate({"catalogue": "T", "clauses": (), "verdicts": words, "sentence": ""}), 4)
    assert [line.agrees for line in made.compare([Expected("f", "T", RACK, 4)])] == [True]


def test_missed_invented_and_wrong_ones_do_not_agree() -> None:
    expected = [Expected("f", "TAB-36", RACK, 3)]
    assert [line.observed for line in book().compare(expected)] == [None]
    assert [line.expected for line in book(said("1", "TAB-36", "RACK")).compare([])] == [None]
    for wrong in (
        said("1", "TAB-36", "VOID"), said("1", "TAB-37", "RACK"), said("1", "TAB-36", "RACK", round_=4),
    ):  # fmt: skip
        assert not any(line.agrees for line in book(wrong).compare(expected))


def test_another_clause_than_the_one_that_decides_does_not_agree() -> None:
    cited = said("1", "TAB-36", "RACK").model_copy(update={"clauses": ("13:69F-36.2(a)", "13:69F-2B.9 (no text)")})
    for clause, right in (("13:69F-36.2(a)", True), ("13:69F-2B.9 (by analogy)", True), ("13:69F-36.14(a)", False)):
        lines = book(cited).compare([Expected("f", "TAB-36", RACK, 3, clause=clause)])
        assert all(line.agrees for line in lines) is right


def test_order_within_a_round_counts() -> None:
    expected = [Expected("f", "TAB-36", RACK, 3), Expected("f", "TAB-36", VOID, 3)]
    swapped = book(said("1", "TAB-36", "VOID", "SHUFFLE"), said("2", "TAB-36", "RACK"))
    assert not all(line.agrees for line in swapped.compare(expected))


def test_what_stayed_open_does_not_agree() -> None:
    made = VerdictLog()
    made.record(said("1", "TAB-36", "RACK"), 3)
    made.record(said("1", "TAB-36", "RACK", status="acknowledged"), 3)
    assert [line.agrees for line in made.compare([Expected("f", "TAB-36", RACK, 3)])] == [False]
