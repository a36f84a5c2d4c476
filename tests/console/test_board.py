"""What pages are told of a table: priority and state of what is open, and nothing of a picture that is not live."""

from typing import TYPE_CHECKING

from pitwarden_client import Cursor, OutputItem
from pitwarden_client.events.outputs import Reveal, RevealCorrected, TableState
from pitwarden_console.activity import TableActivity
from pitwarden_console.board.pit_board import PitBoard, ranked
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.priorities import load_priorities
from pitwarden_console.store.writer import TableProgress
from testkit.pages.fed_tables import FedTable
from testkit.pages.stored_tables import SteppedClock, night_items

if TYPE_CHECKING:
    from pitwarden_client.events.envelope import OutputEvent

KEY = TableKey("Pit A", "silent", "cb-manual")


def fed(state: TableState | None, *, key: TableKey = KEY) -> tuple[FedTable, PitBoard, SteppedClock]:
    clock = SteppedClock()
    table = FedTable(key, TableProgress(1, Cursor(), 0, simulated=False))
    table.view.state = state
    board = PitBoard(clock, load_priorities())
    board.add(table)
    return table, board, clock


def test_what_is_open_is_ranked_by_state_priority_and_age(overdue: TableState) -> None:
    _, board, _ = fed(overdue)
    table = board.snapshots[KEY]
    assert [(item.catalogue, item.priority, item.state) for item in table.open] == [
        ("CB-14", 1, "unacknowledged"),
        ("CB-14", 2, "due"),
    ]
    assert (table.priority, table.simulated, table.is_live) == (1, True, True)
    seen = overdue.irregularities[0].model_copy(update={"status": "acknowledged", "by": "f7"})
    _, board, _ = fed(overdue.model_copy(update={"irregularities": (seen,)}))
    table = board.snapshots[KEY]
    assert [(item.priority, item.state, item.by) for item in table.open] == [
        (2, "due", None),
        (1, "acknowledged", "f7"),
    ]


def test_a_table_that_is_not_live_is_unknown_and_urgent_in_a_round(overdue: TableState) -> None:
    table, board, clock = fed(overdue)
    table.reasons = ("the judge is offline",)
    change = board.refresh()
    assert (change.tables, change.urgent) == (frozenset({KEY}), True)
    first = board.snapshots[KEY]
    assert (first.is_live, first.stale_since_ms) == (False, clock.utc)
    assert first.priority == (1 if overdue.in_round else 3)
    assert ranked([first]) == [], "nothing of it is offered as present"
    clock.step(9_000)
    board.mark(KEY)
    board.refresh()
    assert board.snapshots[KEY].stale_since_ms == first.stale_since_ms, "since when does not move"
    table.reasons = ()
    board.refresh()
    assert (board.snapshots[KEY].is_live, board.snapshots[KEY].stale_since_ms) == (True, None)


def test_a_table_between_rounds_or_never_received_is_to_be_seen_and_noted(overdue: TableState) -> None:
    for state in (None, overdue.model_copy(update={"in_round": False})):
        table, board, _ = fed(state)
        table.reasons = ("there is no state of this table",)
        board.refresh()
        assert board.snapshots[KEY].priority == 3


def test_a_refresh_reports_what_changed_and_whether_it_is_urgent(overdue: TableState) -> None:
    table, board, _ = fed(overdue.model_copy(update={"irregularities": ()}))
    assert board.refresh().tables == frozenset()
    board.mark(KEY)
    change = board.refresh()
    assert (change.tables, change.urgent) == (frozenset({KEY}), False), "its activity may have changed"
    table.view.state = overdue
    board.mark(KEY)
    assert board.refresh().urgent


def test_a_finished_simulated_table_remains_simulated(overdue: TableState) -> None:
    _, board, _ = fed(overdue)
    assert board.snapshots[KEY].simulated
    table, board, _ = fed(None)
    table.progress.simulated = True
    board.mark(KEY)
    board.refresh()
    assert board.snapshots[KEY].simulated, "by what is stored, once the retained state is deleted"


def test_pits_and_tables_keep_the_order_of_the_file() -> None:
    _, board, _ = fed(None)
    for name, pit in (("b", "Pit B"), ("a", "Pit A")):
        board.add(FedTable(TableKey(pit, "silent", name), TableProgress(1, Cursor(), 0, simulated=False)))
    assert board.pits() == ("Pit A", "Pit B")
    assert [table.key.name for table in board.in_pit("Pit A")] == ["cb-manual", "a"]
    assert [table.key.name for table in board.in_pit(None)] == ["cb-manual", "b", "a"]
    assert board.find("silent", "b") == TableKey("Pit B", "silent", "b")
    assert board.find("silent", "c") is None


def test_an_activity_shows_the_cards_that_are_public_and_where_they_are_now() -> None:
    items = night_items("cb-auto", "1", 3, "shoe_jam")
    activity = TableActivity()
    revealed: list[OutputEvent] = []
    for item in items:
        activity.item(item)
        if isinstance(item, OutputItem) and item.event is not None and isinstance(item.event.data, Reveal):
            revealed.append(item.event)
    shown = dict(activity.cards())
    assert shown
    assert activity.unproved == 0
    last = next(
        each for each in reversed(revealed) if isinstance(each.data, Reveal) and each.data.slot.startswith("box")
    )
    assert isinstance(last.data, Reveal)
    place = last.data.slot.partition(".")[0].replace("box", "box ")
    assert last.data.face in shown[place].split()
    moved = RevealCorrected(
        epoch=last.data.epoch, event=last.data.event, index=last.data.index, slot="found", was=last.data.slot
    )
    activity.output(last.model_copy(update={"data": moved}))
    assert dict(activity.cards())["found"] == last.data.face


def test_an_activity_counts_decks_inspections_and_the_last_acts() -> None:
    activity = TableActivity()
    for item in night_items("cb-manual", "1", 6, "stub_overdue"):
        activity.item(item)
    assert activity.is_open
    assert activity.in_play in activity.decks
    assert activity.decks[activity.in_play].stub is not None
    assert activity.inspections["shoe"][0]
    assert len(activity.acts) == activity.acts.maxlen
    assert activity.acts[-1].number > activity.acts[0].number
