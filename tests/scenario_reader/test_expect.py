"""When an output is what a file expects, and when a file that says nothing of it is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden.rules.state.entry import AnswerDue, RevealDue, RuleOutput
from pitwarden.scenario.errors import ScenarioError
from pitwarden.scenario.expectations import VERDICTS, parse_expectation
from pitwarden.scenario.matcher import compare_outputs, matches, needs_expectation
from pitwarden.scenario.report import format_output
from pitwarden_client.events.card_faces import parse_face
from pitwarden_client.events.outputs import CheckFailed, Duty, Irregularity, Notice, Refused, Verdict


def irregularity(*verdicts: Verdict, status: str = "open", **facts: object) -> Irregularity:
    usual = {
        "ref": "e-1-0",
        "catalogue": "TAB-36",
        "clauses": ("13:69F-36.14(a)",),
        "verdicts": verdicts,
        "basis": "text",
        "status": status,
        "actor": "dealer",
        "clears": "",
        "sentence": "a sentence",
        "round": 3,
        "deck": "A",
        "settled_before": ("box 2: blackjack",),
    }
    return Irregularity.model_validate(usual | facts)


def duty(kind: str = "stub_count", status: str = "due") -> Duty:
    usual = {"ref": "e-1-0", "catalogue": "CB-14", "clauses": ("51.7(e)",), "actor": "dealer", "sentence": "count"}
    return Duty.model_validate(usual | {"duty": kind, "status": status, "subject": "A"})


def notice(*verdicts: Verdict) -> Notice:
    return Notice(catalogue="TAB-09", clauses=(), verdicts=verdicts, sentence="")


REFUSED = Refused(catalogue="TAB-08", clauses=("13:69F-36.4(b)",), sentence="too late")
REVEAL = RevealDue("e", 7, 0, "box2.1", parse_face("9H"))
ANSWER = AnswerDue("e", 9, bit=True)
FAILED = CheckFailed(check="a_check", error="KeyError")
VOID = irregularity("VOID", "SHUFFLE")


@pytest.mark.parametrize(
    ("text", "output", "same"),
    [
        ("TAB-36 VOID SHUFFLE", VOID, True),
        ("TAB-36 SHUFFLE+VOID", VOID, True),
        ("TAB-36 VOID", VOID, False),
        ("TAB-36 VOID [SHUFFLE]", VOID, True),
        ("TAB-36 VOID SHUFFLE [ALERT]", VOID, True),
        ("TAB-36 VOID SHUFFLE ALERT", VOID, False),
        ("TAB-37 VOID SHUFFLE", VOID, False),
        ("TAB-37|TAB-36 VOID SHUFFLE", VOID, True),
        ("TAB-36 VOID SHUFFLE deck=A round=3 basis=text actor=dealer", VOID, True),
        ("TAB-36 VOID SHUFFLE cite=36.14(a) settled=2", VOID, True),
        ("TAB-36 VOID SHUFFLE cite=36.14(b)", VOID, False),
        ("TAB-36 VOID SHUFFLE settled=3", VOID, False),
        ("TAB-36 VOID SHUFFLE round=4", VOID, False),
        ("TAB-36 cleared", irregularity("VOID", status="cleared"), True),
        ("TAB-36 withdrawn|refuted", irregularity("VOID", status="refuted"), True),
        ("TAB-36 cleared", irregularity("VOID", status="refuted"), False),
        ("TAB-36 VOID", irregularity("VOID", status="cleared"), False),
        ("TAB-36 CONTINUE", irregularity("CONTINUE"), True),
        ("TAB-36 BURN CONTINUE", irregularity("BURN"), True),
        ("TAB-36 BURN", irregularity("BURN", "CONTINUE"), True),
        ("TAB-09 CONTINUE", notice("CONTINUE"), True),
        ("TAB-09 CONTINUE basis=text", notice("CONTINUE"), False),
        ("CB-14 due subject=A cite=51.7(e)", duty(), True),
        ("CB-14 due|overdue", duty(status="overdue"), True),
        ("CB-14 done", duty(), False),
        ("refused TAB-08", REFUSED, True),
        ("refused TAB-09", REFUSED, False),
        ("refused TAB-08 cite=36.4(b)", REFUSED, True),
        ("refused TAB-08 cite=36.4(c)", REFUSED, False),
        ("refused TAB-08 box=2", REFUSED, False),
        ("reveal box2.1 9H", REVEAL, True),
        ("reveal box2.1 9S", REVEAL, False),
        ("reveal box2.2 9H", REVEAL, False),
        ("answer bj", ANSWER, True),
        ("answer no", ANSWER, False),
        ("check.failed", FAILED, True),
        ("check.failed", REFUSED, False),
    ],
)
def test_what_meets_an_expectation(text: str, output: RuleOutput, *, same: bool) -> None:
    assert matches(parse_expectation(text), output) is same


@pytest.mark.parametrize(
    ("output", "strict"),
    [
        (VOID, True),
        (irregularity("RACK"), True),
        (irregularity("RACK", status="cleared"), False),
        (irregularity("RACK", status="refuted"), True),
        (irregularity("VOID", status="cleared"), True),
        (duty(), True),
        (duty(status="done"), True),
        (duty("burn"), False),
        (duty("shuffle", "overdue"), True),
        (notice(), False),
        (notice("CONTINUE"), False),
        (notice("BURN"), True),
        (REFUSED, True),
        (FAILED, True),
        (REVEAL, False),
        (ANSWER, False),
    ],
)
def test_what_a_file_must_name(output: RuleOutput, *, strict: bool) -> None:
    assert needs_expectation(output, strict_reveals=False) is strict
    assert needs_expectation(REVEAL, strict_reveals=True)
    assert needs_expectation(ANSWER, strict_reveals=True)


@given(st.sets(st.sampled_from(VERDICTS), min_size=1, max_size=4))
def test_what_is_described_can_be_expected(words: set[Verdict]) -> None:
    output = irregularity(*sorted(words))
    assert matches(parse_expectation(format_output(output)), output)


@pytest.mark.parametrize("output", [REFUSED, REVEAL, ANSWER, FAILED, duty(), irregularity("VOID", status="cleared")])
def test_every_output_can_be_expected_in_its_own_words(output: RuleOutput) -> None:
    assert matches(parse_expectation(format_output(output)), output)


def test_a_face_stands_in_no_repr() -> None:
    assert "face" not in repr(parse_expectation("reveal box2.1 9H")).replace("text=", "")


@pytest.mark.parametrize(
    ("text", "said", "met"),
    [
        ("nothing", (), True),
        ("permit granted", (), True),
        ("permit withheld", (), False),
        ("no reveal", (VOID,), True),
        ("no reveal", (REVEAL,), False),
        ("no reveal", (ANSWER,), False),
        ("maybe TAB-36 VOID SHUFFLE", (), True),
        ("TAB-36 VOID SHUFFLE", (), False),
    ],
)
def test_a_line_against_what_was_said(text: str, said: tuple[RuleOutput, ...], *, met: bool) -> None:
    missing, _ = compare_outputs((parse_expectation(text),), said, granted=True, strict_reveals=False)
    assert (missing == ()) is met


def test_one_output_meets_one_expectation() -> None:
    twice = (parse_expectation("TAB-36 VOID SHUFFLE"),) * 2
    missing, unexpected = compare_outputs(twice, (VOID,), granted=True, strict_reveals=False)
    assert (len(missing), unexpected) == (1, ())
    missing, unexpected = compare_outputs(twice[:1], (VOID, VOID, REVEAL), granted=True, strict_reveals=False)
    assert (missing, unexpected) == ((), (VOID,))
    assert compare_outputs((), (REVEAL,), granted=True, strict_reveals=True)[1] == (REVEAL,)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("TAB-36 VOID [SHUFFLE", "'[SHUFFLE' is no verdict or status"),
        ("TAB-36 VOID|SHUFFLE", "`|` is a choice of statuses"),
        ("TAB-36 cleared [VOID]", "verdict words, or a status"),
        ("TAB-36 VOID cleared", "verdict words, or a status"),
    ],
)
def test_what_would_silently_expect_less_than_it_says_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        parse_expectation(text)
    assert reason in str(refused.value)
