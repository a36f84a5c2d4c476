"""The dealer's keypad: every code goes there and back, SPEC.md says the same table, lamps know public things only."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pitwarden_drivers.tdp
from pitwarden.rules.profile.facts import WORDS, FactKind
from pitwarden_client.events.dealer_cards import KpCut, KpHands, KpStub
from pitwarden_client.events.dealer_irregularities import KpMisplaced
from pitwarden_client.events.dealer_play import KpDealer, KpDecision
from pitwarden_client.events.dealer_wagers import KpCollected, KpWager
from pitwarden_client.events.keypad import CODES, KEYS, Key, KeypadCode, Lamps, act_for_keys, keys_for_act, lamps_for
from pitwarden_client.events.outputs import ClearingFact, Irregularity

SPEC = (Path(pitwarden_drivers.tdp.__path__[0]) / "SPEC.md").read_text()
TAILS = {
    "": ("", ""), "box": ("box", "3"), "boxes": ("boxes", "136"), "count": ("number", "24"),
    "counts": ("cards of each hand, one digit each", "777"), "person": ("number of the dealer", "4711"),
    "deck": ("deck, 1 for A", "2"),
}  # fmt: skip


@pytest.mark.parametrize("code", CODES, ids=lambda code: f"{code.key}-{code.code}{code.tail}")
def test_each_code_is_one_act_and_back_again(code: KeypadCode) -> None:
    digits = code.code + TAILS[code.tail][1]
    act = act_for_keys(code.key, digits)
    assert isinstance(act, code.act)
    assert all(getattr(act, name) == value for name, value in code.fixed.items())
    assert keys_for_act(act) == (code.key, digits)


def test_the_specification_has_the_same_table() -> None:
    said = re.findall(r"^\| `(\w+)` \| ([^|]*) \| (kp\.[^|]*) \|$", SPEC, re.MULTILINE)
    coded = []
    for code in CODES:
        where = f"*{TAILS[code.tail][0]}*" if code.tail else ""
        fixed = "".join(f" {name}={str(value).lower()}" for name, value in code.fixed.items())
        digits = " ".join(part for part in (code.code, where) if part) or "none"
        coded.append((code.key, digits, f"{code.act.model_fields['act'].default}{fixed}"))
    assert said == coded
    keys = re.findall(r"^\| (\d+) \| `(\w+)` \| [A-Z ]+ \|$", SPEC, re.MULTILINE)
    assert keys == [(str(number), key) for number, key in enumerate(KEYS)]


@given(st.sampled_from(KEYS), st.from_regex(r"[0-9]{0,16}", fullmatch=True))
def test_any_digits_mean_one_thing_or_nothing(key: Key, digits: str) -> None:
    act = act_for_keys(key, digits)
    if act is not None:
        assert keys_for_act(act) == (key, digits)


@pytest.mark.parametrize(
    ("key", "digits"),
    [("seen", ""), ("undo", ""), ("decision", "1"), ("decision", "18"), ("stub", "007" * 4), ("boxes", "")],
)
def test_what_means_nothing_is_nothing(key: Key, digits: str) -> None:
    assert act_for_keys(key, digits) is None


@pytest.mark.parametrize(
    "act",
    [KpWager(wager="ante", box=1), KpMisplaced(first="a", second="b"), KpDealer(dealer="d1"), KpHands(counts=(10,)),
     KpCollected(deck="spare"), KpStub(count=4_000)],
)  # fmt: skip
def test_what_digits_cannot_say_has_no_key(act: KpWager) -> None:
    assert keys_for_act(act) is None


def test_the_dealer_may_cut_too() -> None:
    assert keys_for_act(KpCut(by="dealer")) == ("shuffle", "20")
    assert act_for_keys("decision", "12") == KpDecision(box=2, decision="hit")


def case(*kinds: str, status: str = "acknowledged", subject: str | None = None) -> Irregularity:
    """Return an irregularity that is cleared by a fact of each of `kinds`, one after the other."""
    return Irregularity.model_validate({
        "ref": "e-1-0", "catalogue": "TAB-37", "clauses": ("c",), "verdicts": ("HOLD",), "basis": "text",
        "status": status, "actor": "dealer", "clears": "", "sentence": "s", "deck": "A",
        "clears_facts": tuple((ClearingFact(kind=kind, subject=subject),) for kind in kinds),
    })  # fmt: skip


DEALERS = {
    "round_end": "round_end", "mixed": "shuffle", "cut": "shuffle", "shuffled": "shuffle", "spread": "shuffle",
    "hands": "stub", "stub": "stub", "boxes_agree": "boxes", "in_the_deal": "boxes", "ib_settled": "settled",
    "antes_collected": "settled", "all_chosen": "decision", "card": None, "burned": None, "unloaded": None,
    "put_back": None, "started": None,
    "loaded": None,
}  # fmt: skip


@pytest.mark.parametrize("token", sorted(WORDS))
def test_each_condition_that_play_clears_lights_its_key_and_the_others_light_none(token: FactKind) -> None:
    subject = "A" if "{}" in WORDS[token] else None
    lamps = lamps_for([case(token, subject=subject)], granted=False)
    if token in DEALERS:
        assert lamps == Lamps("red", "dealer", DEALERS[token])  # type: ignore[arg-type]  # the table has keys
    else:
        assert lamps == Lamps("red", "others")


def test_lamps_show_the_permit_and_unacknowledged_irregularities() -> None:
    assert lamps_for([], granted=True) == Lamps("green", "none")
    assert lamps_for([case("noted", status="open")], granted=False) == Lamps("red", "dealer", "seen")
    both = [case("noted", status="open"), case("hands", "shuffled")]
    assert lamps_for(both, granted=False).key == "stub"


def test_lamps_go_by_the_first_fact_of_the_first_step() -> None:
    assert lamps_for([case("noted", "shuffled")], granted=False) == Lamps("red", "others")
    assert lamps_for([case("shuffled", "noted")], granted=False) == Lamps("red", "dealer", "shuffle")
    assert lamps_for([case("a_later_kind")], granted=False) == Lamps("red", "others")
    assert lamps_for([case()], granted=False) == Lamps("red", "others"), "rules before 0.3.17 publish no facts"
