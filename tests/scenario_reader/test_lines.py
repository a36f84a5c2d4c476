"""The text of a scenario: what is read, and how what is wrong is named."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden.scenario import ScenarioError, parse_scenario
from pitwarden.scenario.arguments import DAY_MS, MINUTE_MS, LineTime, format_clock, parse_when, tick_times
from pitwarden.scenario.parser import split_event
from pitwarden.scenario.player import proofread

HEAD = "title: a test\ngame: TAB\n---\n"


def complaint(text: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        proofread(parse_scenario(text, "night.scn"))
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + "sh.crad 9H", "night.scn:4: 'sh.crad' is no event (did you mean sh.card?)"),
        (HEAD + "# a comment\n\nsh.card 9X", "night.scn:6: '9X' is not a card: write rank and suit"),
        (HEAD + "sh.card 9H sideways", "night.scn:4: 'sideways' is no way for a card to lie"),
        (HEAD + "sh.card", "night.scn:4: the card is missing"),
        (HEAD + "sh.card 9H up now", "night.scn:4: 'now' is one argument too many"),
        (HEAD + "sh.card 9H bakc=red", "night.scn:4: 'bakc' is no argument of this event (did you mean back?)"),
        (HEAD + "sh.stack 7 9H", "night.scn:4: a stack of 7 shows 1 faces: name all of them or none"),
        (HEAD + "sh.stack seven", "night.scn:4: 'seven' is no number of cards"),
        (HEAD + "sh.fault jmm", "night.scn:4: 'jmm' is no fault (did you mean jam?)"),
        (HEAD + "sf.fault A", "night.scn:4: the fault is missing"),
        (HEAD + "rd.res maybe", "night.scn:4: 'maybe' is no answer of a reader"),
        (HEAD + "dev.health shoe", "night.scn:4: the state is missing"),
        (HEAD + "sh.load A*B 384", "night.scn:4: deck:"),
        (HEAD + "kp.hit 9", "night.scn:4: box: Input should be less than or equal to 7"),
        (HEAD + "kp.hit", "night.scn:4: box is missing"),
        (HEAD + "kp.hit 1 2", "night.scn:4: '2' is one argument too many"),
        (HEAD + "kp.boxes 1-x", "night.scn:4: '1-x' is no number"),
        (HEAD + "kp.boxes 1-999999999", "night.scn:4: each of them is a number from 1 to 999"),
        (HEAD + "clk.step +-3", "night.scn:4: '+-3' is no number of seconds"),
        (HEAD + "clk.step 9999999999", "night.scn:4: '9999999999' is no number of seconds"),
        (HEAD + "round hit=two", "night.scn:4: hit is a number from 1 to 7, not 'two'"),
        (HEAD + "kp.close atack2", "night.scn:4: 'atack2' is no choice here (did you mean attack2?)"),
        (HEAD + "kp.drawn_in_error perhaps", "night.scn:4: 'perhaps' is no yes or no"),
        (HEAD + "ft.opening A tnes=3", "night.scn:4: 'tnes' is no argument of this input (did you mean tens?)"),
        (HEAD + "ft.recut as=king", "night.scn:4: 'king' is no role"),
        (HEAD + "clk.step soon", "night.scn:4: 'soon' is no number of seconds"),
        (HEAD + "log.permit given", "night.scn:4: 'given' is no permit"),
        (HEAD + "log.fault forkd", "night.scn:4: 'forkd' is no fault of a log (did you mean forked?)"),
        (HEAD + "round boxs=3", "night.scn:4: 'boxs' is no argument of this macro (did you mean boxes?)"),
        (HEAD + "round boxes=8", "night.scn:4: boxes is a number from 1 to 7, not '8'"),
        (HEAD + "round 3", "night.scn:4: '3' is one argument too many for this macro"),
        (HEAD + "round times=0", "night.scn:4: times is a number from 1 to 400, not '0'"),
        (HEAD + "round times=60", "night.scn:4: no "),
        (HEAD + "round b1=9H", "night.scn:4: b1 is two cards, as b1=9H/KC"),
        (HEAD + "open by=magic", "night.scn:4: 'magic' is no way to shuffle"),
        (HEAD + "+5 fortnights sh.cut", "night.scn:4: '+5' is no event"),
        (HEAD + "@25:00 sh.cut", "night.scn:4: '25:00' is no time of day"),
        (HEAD + "@noon sh.cut", "night.scn:4: '@noon' is no time"),
        (HEAD + 'refute TAB-36 "no end', "night.scn:4: "),
        (HEAD + "-> TAB-36 RACK", "night.scn:4: `->` continues a line, and there is none before it"),
        (HEAD + "sh.cut -> TAB-36 RAKC", "night.scn:4: 'RAKC' is no verdict or status (did you mean RACK?)"),
        (HEAD + "sh.cut -> TAB36 RACK", "night.scn:4: 'TAB36' is no catalogue number (did you mean TAB-36?)"),
        (HEAD + "sh.cut -> TAB-36 RACK cleared", "verdict words, or a status, stand after a catalogue number"),
        (HEAD + "sh.cut -> TAB-36 RACK bx=2", "night.scn:4: 'bx' is no fact of an output (did you mean box?)"),
        (HEAD + "sh.cut -> TAB-36", "expects nothing that a judge says"),
        (HEAD + "sh.cut -> reveal box1.1 9X", "night.scn:4: '9X' is not a card"),
        ("title: x\ngame: TAB\nsh.cut", "night.scn: one line `---` stands between the header and the events"),
        ("title: x\n---\n", "night.scn: the header lacks `game:`"),
        ("game: TAB\n---\n", "night.scn: the header lacks `title:`"),
        ("title: x\ngame: TAP\n---\n", "night.scn:2: 'TAP' is no game (did you mean TAB?)"),
        ("title: x\ngame: TAB\ngame: CB\n---\n", "night.scn:3: game stands twice in the header"),
        ("title: x\ngame: TAB\nboxs: 3\n---\n", "night.scn:3: 'boxs' is no header key (did you mean boxes?)"),
        ("title: x\ngame: TAB\nboxes: many\n---\n", "night.scn:3: boxes is a number from 1 to 7, not 'many'"),
        ("title: x\ngame: TAB\nmode: auto_sheo\n---\n", "night.scn:3: 'auto_sheo' is no way of dealing"),
        ("title: x\ngame: TAB\ndevices: shuffle\n---\n", "'shuffle' is no device (did you mean shuffler?)"),
        ("title: x\ngame: TAB\ndevices: shoe autos\n---\n", "'autos' is no trait of a shoe (did you mean auto?)"),
        ("title: x\ngame: TAB\ndevices: shuffler counts=ja\n---\n", "night.scn:3: 'ja' is no value of counts"),
        ("title: x\ngame: TAB\ndevices: shoe, shoe auto\n---\n", "night.scn:3: a device stands twice"),
        ("title: x\ngame: TAB\ndevices: shoe auto=perhaps\n---\n", "night.scn:3: 'perhaps' is no value of auto"),
        ("title: x\ngame: TAB\ndecks: A red, A blue\n---\n", "night.scn:3: a deck stands twice"),
        ("title: x\ngame: TAB\ninputs: kp.bxs\n---\n", "night.scn:3: 'kp.bxs' is no input (did you mean kp.boxes?)"),
        ("title: x\ngame: TAB\npay: ib A posted=soon\n---\n", "night.scn:3: 'soon' is no value of posted"),
        ("title: x\ngame: TAB\npay: ib A minimum=ten\n---\n", "night.scn:3: minimum is a number from 1"),
        ("title: x\ngame: TAB\nin_set: 0\n---\n", "night.scn:3: in_set is a number from 1 to 99, not '0'"),
        ("title: x\ngame: TAB\ndecks: A red old\n---\n", "night.scn:3: a deck is a name and perhaps a colour"),
        ("title: x\ngame: TAB\noptions: strict\n---\n", "night.scn:3: an option is `name=value`, not 'strict'"),
        ("title: x\ngame: TAB\nreveals: all\n---\n", "night.scn:3: 'all' is no way to check reveals"),
        ("title: x\ngame: TAB\nstart: 8am\n---\n", "night.scn:3: '8am' is no time of day: write 08:30"),
        ("title: x\ngame: TAB\nstray\n---\n", "night.scn:3: a header line is `key: value`"),
        ("title: x\ngame: TAB\n---\n" + "#" * 1_000_001, "night.scn: more than 1000000 bytes"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text: str, said: str) -> None:
    assert said in complaint(text)


LONG = "9" * 5_000


@pytest.mark.parametrize("text", [
    *(f"title: x\ngame: TAB\n{key}{LONG}\n---\n" for key in ("in_set: ", "boxes: ", "pay: ib A minimum=")),
    *(HEAD + line for line in (
        f"sh.load A {LONG}", f"sh.stack {LONG}", f"clk.step {LONG}", f"kp.boxes {LONG}", f"kp.boxes 1-{LONG}",
        f"kp.hit {LONG}", f"ft.opening A tens={LONG}", f"round times={LONG}", f"round boxes={LONG}",
        f"round hit={LONG}",
    )),
])  # fmt: skip
def test_a_number_without_end_is_refused(text: str) -> None:
    assert LONG not in complaint(text)


def test_a_device_may_be_followed_by_a_comma_too_many() -> None:
    header = parse_scenario("title: x\ngame: TAB\ndevices: shoe, , shuffler,\n---\n", "x").header
    assert [device.ident for device in header.devices] == ["shoe", "shuffler"]


def test_a_short_word_among_the_inputs_is_the_act_that_it_stands_for() -> None:
    assert parse_scenario("title: x\ngame: TAB\ninputs: kp.opt, kp.hit\n---\n", "x").header.inputs == (
        "kp.option",
        "kp.decision",
    )


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_any_text_is_a_scenario_or_refused(text: str) -> None:
    for whole in (text, HEAD + text):
        said = "any.scn"
        try:
            proofread(parse_scenario(whole, "any.scn"))
        except ScenarioError as error:
            said = str(error)
        assert said.startswith("any.scn")


def test_both_spellings_are_the_same() -> None:
    assert split_event("sh.card(9H,up)") == split_event("sh.card 9H up") == ("sh.card", ("9H", "up"))
    assert split_event("kp.boxes([1, 2])") == ("kp.boxes", ("1", "2"))
    assert split_event('refute TAB-36 "it lay face down"') == ("refute", ("TAB-36", "it lay face down"))


def test_comments_and_continued_expectations() -> None:
    scenario = parse_scenario(HEAD + "sh.cut # seen\n  -> nothing\n  -> TAB-09 CONTINUE; maybe TAB-07 ALERT", "x")
    (line,) = scenario.lines
    assert [wanted.kind for wanted in line.expected] == ["nothing", "finding", "finding"]
    assert [wanted.needed for wanted in line.expected] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("+30s", LineTime(after_ms=30_000)),
        ("+5m", LineTime(after_ms=5 * MINUTE_MS)),
        ("+2h", LineTime(after_ms=120 * MINUTE_MS)),
        ("+500ms", LineTime(after_ms=500)),
        ("@10:00", LineTime(at_ms=600 * MINUTE_MS)),
        ("@+1d 08:00:30", LineTime(at_ms=DAY_MS + 480 * MINUTE_MS + 30_000)),
    ],
)
def test_times(text: str, at: LineTime) -> None:
    assert parse_when(text) == at


def test_a_line_may_not_come_before_the_one_above() -> None:
    with pytest.raises(ScenarioError, match=r"runs backwards here: 09:00:00 comes after 10:00:00"):
        parse_when("@09:00").resolve(600 * MINUTE_MS, 600 * MINUTE_MS)


@given(st.integers(0, 10**9), st.integers(0, 3 * DAY_MS))
def test_ticks_come_after_a_second_then_evenly_and_are_bounded(start: int, gap: int) -> None:
    made = tick_times(start, start + gap)
    assert len(made) <= 202
    assert all(start < at < start + gap for at in made)
    assert made == sorted(set(made))
    if gap > 1_000:
        assert made[0] == start + 1_000
    if 2_000 < gap < 1_000_000:
        assert all(later - earlier == 10_000 for earlier, later in pairwise(made))


def test_the_clock_shows_days() -> None:
    assert format_clock(DAY_MS + 61_000) == "+1d 00:01:01"
