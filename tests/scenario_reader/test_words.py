"""Every word of a line becomes the event that it names."""

import pytest

from pitwarden.scenario import ScenarioError
from pitwarden.scenario.input_events import ACTS
from pitwarden.scenario.parser import split_event
from pitwarden.scenario.vocabulary import WORDS, build_event
from pitwarden_client.events.base import Position
from pitwarden_client.events.card_faces import parse_face
from pitwarden_client.events.inputs import InputLogged


class Paper:
    """A log that knows one irregularity and one input."""

    def ref(self, catalogue: str) -> str:
        return f"ref-{catalogue}"

    def input_number(self, word: str) -> int:
        return len(word)

    def author(self, number: int) -> tuple[str, str]:
        return "dealer", f"author-of-{number}"

    def position(self) -> Position | None:
        return Position(epoch="e", number=7)


def event(text: str) -> dict[str, object]:
    made = build_event(*split_event(text), Paper())
    return made.data.model_dump()


def act(text: str) -> dict[str, object]:
    data = build_event(*split_event(text), Paper()).data
    assert isinstance(data, InputLogged)
    return data.act.model_dump()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("sh.load A 384", {"kind": "shoe.loaded", "deck": "A", "count": 384}),
        ("sh.load A -", {"count": None}),
        ("sh.load A", {"count": None}),
        ("sh.card 9H up back=blue", {"kind": "shoe.card", "up": True, "back": "blue"}),
        ("sh.stack 7", {"kind": "shoe.stack", "count": 7, "faces": ()}),
        ("sh.cut", {"kind": "shoe.cut"}),
        ("sh.empty", {"kind": "shoe.empty"}),
        ("sh.fault jam", {"kind": "shoe.fault", "fault": "jam"}),
        ("sh.unload", {"kind": "shoe.unloaded", "count": None}),
        ("sh.unload 31", {"count": 31}),
        ("sf.start A mode=sort", {"kind": "shuffler.started", "mode": "sort"}),
        ("sf.done A -", {"kind": "shuffler.done", "count": None}),
        ("sf.fault A stopped holding=12", {"kind": "shuffler.fault", "holding": 12}),
        ("rd.ins", {"kind": "reader.inserted"}),
        ("rd.fault", {"kind": "reader.fault", "fault": "hardware"}),
        ("dev.health shoe stale", {"kind": "device.health", "state": "stale"}),
        ("dev.gap shoe", {"kind": "device.gap"}),
        ("dev.identified shoe", {"kind": "device.identified"}),
        ("dev.restarted shoe", {"kind": "device.restarted"}),
        ("dev.suspect shoe", {"kind": "device.suspect"}),
        ("dev.unknown shoe", {"kind": "device.unknown"}),
        ("clk.tick", {"kind": "clock.tick"}),
        ("clk.day", {"kind": "clock.tick"}),
        ("clk.step -3600", {"kind": "clock.stepped", "delta_ms": -3_600_000}),
        ("log.permit expired", {"kind": "permit.applied", "granted": False, "cause": "expired"}),
        ("log.fault forked", {"kind": "log.fault", "fault": "forked"}),
    ],
)
def test_devices_and_the_log_itself(text: str, facts: dict[str, object]) -> None:
    assert facts.items() <= event(text).items()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("kp.hit 2", {"act": "kp.decision", "box": 2, "decision": "hit"}),
        ("kp.double 3", {"decision": "double", "box": 3}),
        ("kp.decision 3 split", {"decision": "split", "box": 3}),
        ("kp.bonus 2", {"act": "kp.wager", "wager": "suited_royals", "box": 2}),
        ("kp.bonus_settled 2", {"act": "kp.bonus_settled", "box": 2}),
        ("kp.wager insurance 2 cents=500", {"act": "kp.wager", "cents": 500}),
        ("kp.boxes 1-3 5", {"act": "kp.boxes", "boxes": (1, 2, 3, 5)}),
        ("kp.hands 7 8 7", {"act": "kp.hands", "counts": (7, 8, 7)}),
        ("kp.cut 3", {"act": "kp.cut", "by": 3}),
        ("kp.cut dealer", {"by": "dealer"}),
        ("kp.opt 5 take", {"act": "kp.option", "choice": "take"}),
        ("kp.drawn_in_error unexposed", {"exposed": False}),
        ("kp.dealer 9", {"act": "kp.dealer", "dealer": "9"}),
        ("kp.misplaced box2.1 dealer.2", {"first": "box2.1", "second": "dealer.2"}),
        ("kp.manual_shuffle", {"deck": None}),
        ("ft.opening A table 31", {"path": "table", "tens_removed": 31}),
        ("ft.opening A tens=31", {"tens_removed": 31}),
        ("ft.deck_opened A red set=S7", {"colour": "red", "set_id": "S7"}),
        ("ft.inspect shoe fail", {"device": "shoe", "ok": False}),
        ("ft.reader_visible no", {"visible": False}),
        ("ft.settle_note TAB-20", {"irregularity": "ref-TAB-20"}),
        ("ack TAB-36", {"act": "ack", "irregularity": "ref-TAB-36"}),
        ('refute TAB-36 "it lay face down"', {"reason": "it lay face down"}),
        ("retract kp.double", {"act": "retract", "number": 9}),
    ],
)
def test_words_of_an_operator_become_an_input(text: str, facts: dict[str, object]) -> None:
    assert facts.items() <= act(text).items()


@pytest.mark.parametrize(
    ("text", "role", "person"),
    [
        ("kp.hit 2", "dealer", "dealer-1"),
        ("ft.inspect shoe ok", "floor", "floor-1"),
        ("ft.notified", "supervisor", "supervisor-1"),
        ("ft.inspect shoe ok as=supervisor by=ann", "supervisor", "ann"),
        ("retract kp.double", "dealer", "author-of-9"),
    ],
)
def test_who_keyed_it(text: str, role: str, person: str) -> None:
    data = build_event(*split_event(text), Paper()).data
    assert isinstance(data, InputLogged)
    assert (data.role, data.person, data.terminal) == (role, person, f"{role}-terminal")
    assert data.as_of == Position(epoch="e", number=7)


def test_secrets_stand_beside_the_event_and_not_in_it() -> None:
    card = build_event("sh.card", ("9H", "up"), Paper())
    answer = build_event("rd.res", ("bj",), Paper())
    assert card.faces == (parse_face("9H"),)
    assert answer.bit is True
    assert "9H" not in repr(card)
    assert "faces" not in repr(card)
    assert "bit" not in repr(answer)


def test_a_second_device_of_a_kind_may_speak() -> None:
    assert build_event("sf.start", ("A", "dev=shuffler2"), Paper()).source == "shuffler2"
    assert build_event("dev.health", ("reader", "lost"), Paper()).source == "reader"


def test_every_act_of_the_contract_has_a_word() -> None:
    assert set(ACTS) <= WORDS


def test_an_unknown_word_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"did you mean kp\.hole_up"):
        build_event("kp.holeup", (), Paper())
