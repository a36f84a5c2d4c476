"""What no one at the table has seen changes nothing that the rules say: faces permuted, the answer flipped."""

from dataclasses import replace

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from pitwarden.rules import LogEntry, RevealDue, RuleOutput, initial_state, public_state, step
from pitwarden_client.events import floor as ft
from pitwarden_client.events.card_faces import JOKER, face_name, is_ten
from pitwarden_client.events.dealer_cards import KpBurnRequest
from pitwarden_client.events.dealer_wagers import KpClose, KpOpen
from pitwarden_client.events.device import ReaderResult, ShoeCard, ShoeLoaded, ShoeStack, ShufflerStarted
from pitwarden_simulators.table.setup import FURTHER_TABLES, TABLES
from testkit.nights.arbitrary_rows import NIGHTS, SETUPS, night
from testkit.tables.rules_table import RulesTable, setup_of, words


def fold(name: str, rows: tuple[LogEntry, ...]) -> list[object]:
    state = initial_state(SETUPS[name])
    said: list[object] = []
    for row in rows:
        state, outputs = step(state, row)
        said.append((outputs, public_state(state)))
    return said


def hidden_places(name: str, rows: tuple[LogEntry, ...]) -> list[list[tuple[int, int]]]:
    """Row and index of the cards that never become public, shoe by shoe."""
    outputs: list[RuleOutput] = []
    state = initial_state(SETUPS[name])
    for row in rows:
        state, said = step(state, row)
        outputs += said
    shown = {(one.event, one.index) for one in outputs if isinstance(one, RevealDue)}
    shoes: list[list[tuple[int, int]]] = [[]]
    for at, row in enumerate(rows):
        if isinstance(row.data, ShufflerStarted | ShoeLoaded):
            shoes.append([])
        if isinstance(row.data, ShoeCard | ShoeStack):
            shoes[-1] += [(at, i) for i in range(len(row.faces)) if (row.number, i) not in shown]
    return [shoe for shoe in shoes if shoe]


@pytest.mark.parametrize(("name", "faults"), [*((name, False) for name in NIGHTS), *((name, True) for name in TABLES)])
@settings(max_examples=4, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(data=st.data())
def test_permuting_hidden_cards_changes_nothing(name: str, faults: bool, data: st.DataObject) -> None:  # noqa: FBT001  a parameter of the test
    rows = night(name, 4, faults=faults)
    made = list(rows)
    for places in hidden_places(name, rows):
        faces = [rows[at].faces[i] for at, i in places]
        for (at, i), face in zip(places, data.draw(st.permutations(faces)), strict=True):
            kept = made[at].faces
            made[at] = replace(made[at], faces=(*kept[:i], face, *kept[i + 1 :]))
    assert fold(name, tuple(made)) == fold(name, rows)


@pytest.mark.parametrize("name", ["tab-shielded", "tab-visible", *FURTHER_TABLES])
def test_the_answer_changes_nothing_before_it_is_public(name: str) -> None:
    rows = night(name, 8)
    answers = [at for at, row in enumerate(rows) if isinstance(row.data, ReaderResult)]
    assert answers
    for at in answers:
        flipped = (*rows[:at], replace(rows[at], bit=not rows[at].bit), *rows[at + 1 :])
        one, other = fold(name, rows), fold(name, flipped)
        public = next(n for n, said in enumerate(one) if n >= at and "AnswerDue" in repr(said))
        assert one[:public] == other[:public]


def test_no_repr_shows_a_hidden_face_or_bit() -> None:
    table = RulesTable(setup_of("TAB", reader=False)).open().deal("5C 9H", "KS", "6D KC", "QH")
    table.read(bit=True)
    text = repr(table.state)
    assert "face=" not in text
    assert "bit=" not in text
    assert "seen=" not in text


def test_the_answer_waits_for_insurance_to_be_closed() -> None:
    table = RulesTable(setup_of("TAB", reader=False)).open().deal("5C 9H", "AS", "6D KC", "QH")
    table.key(KpOpen(window="insurance"))
    assert "answer" not in words(table.read(bit=True))
    assert words(table.key(KpClose(window="insurance"))) == ["answer"]


def test_a_misused_reader_never_answers_in_public() -> None:
    table = RulesTable(setup_of("TAB", reader=False)).open().deal("5C 9H", "9S", "6D KC", "QH")
    table.read(bit=False)
    table.key(ft.FtNotified(), role="supervisor")
    table.finish()
    assert "answer" not in words(tuple(table.said))


def test_a_round_that_is_void_reveals_nothing_more() -> None:
    table = RulesTable(setup_of("TAB")).open().deal("5C 9H", "9S", "6D KC", "QH")
    table.draw("2C", up=True)
    table.draw("3C", up=True)
    shown = [one for one in table.said if isinstance(one, RevealDue)]
    table.finish()
    assert [one for one in table.said if isinstance(one, RevealDue)] == shown


def test_a_burn_card_is_shown_only_when_it_is_asked_for() -> None:
    table = RulesTable(setup_of("TAB")).open()
    assert not [one for one in table.said if isinstance(one, RevealDue)]
    assert words(table.key(KpBurnRequest())) == ["TAB-13 CONTINUE"]
    said = table.key(KpBurnRequest())
    assert [(one.slot, face_name(one.face)) for one in said if isinstance(one, RevealDue)] == [("burn", "4C")]
    assert words(table.key(KpBurnRequest())) == []


def test_what_is_found_is_public_at_once_and_nothing_else_is() -> None:
    found = 0
    for name in NIGHTS:
        state = initial_state(SETUPS[name])
        for row in night(name, 4, faults=True):
            state, said = step(state, row)
            for one in said:
                if isinstance(one, RevealDue) and one.event == row.number and one.slot == "found":
                    up = isinstance(row.data, ShoeCard) and row.data.up
                    assert up or is_ten(one.face) or one.face == JOKER
                    found += 1
    assert found > 0
