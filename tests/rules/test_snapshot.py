"""A snapshot is the state between rounds, made only there, read only under the same rules and table file."""

import json
from dataclasses import make_dataclass

import pytest

from pitwarden.rules import SnapshotError, initial_state, state_from_bytes, state_to_bytes
from pitwarden.rules.engine.snapshot import _shape, snapshot_format
from pitwarden_client.events.dealer_cards import KpStub
from pitwarden_client.events.dealer_play import KpBoxes, KpDealer
from testkit.tables.rules_table import RulesTable, setup_of


def test_none_is_taken_in_mid_round() -> None:
    table = RulesTable(setup_of("TAB")).open()
    table.key(KpBoxes(boxes=(1, 2)))
    with pytest.raises(SnapshotError, match="round 1 is not over"):
        state_to_bytes(table.state)


def test_it_carries_cases_duties_waits_and_the_rows_that_may_be_taken_back() -> None:
    table = RulesTable(setup_of("TAB", reader=None)).open().deal("5C 9H", "9S", "6D KC", "KD")
    table.key(KpDealer(dealer="d2"))
    table.finish()
    table.utc_ms += 14 * 3_600_000
    table.tick()
    table.key(KpStub(count=1))
    assert table.state.cases
    assert table.state.duties
    assert table.state.undo_rows
    assert state_from_bytes(state_to_bytes(table.state), table.setup) == table.state


def test_another_table_file_another_format_and_damage_are_refused() -> None:
    setup = setup_of("TAB")
    data = state_to_bytes(initial_state(setup))
    with pytest.raises(SnapshotError, match="other rules or for another table file"):
        state_from_bytes(data, setup_of("CB"))
    with pytest.raises(SnapshotError, match="other rules"):
        state_from_bytes(json.dumps({**json.loads(data), "format": "other"}).encode(), setup)
    for damaged in (data[:-2], b"[]", b"{}", json.dumps({**json.loads(data), "state": {}}).encode()):
        with pytest.raises(SnapshotError, match="damaged"):
            state_from_bytes(damaged, setup)


def test_the_format_follows_each_stored_field_and_not_the_names_of_classes() -> None:
    of = {(name, kind): _shape(make_dataclass(f"Of{name}", [(name, kind)])) for name in "xy" for kind in (int, str)}
    assert len({json.dumps(shape) for shape in of.values()}) == len(of)
    assert _shape(make_dataclass("Renamed", [("x", int)])) == of["x", int]
    parts = [make_dataclass("Part", [("inner", kind)]) for kind in (int, int | None, tuple[int, ...], frozenset[int])]
    assert len({json.dumps(_shape(make_dataclass("Whole", [("part", part)]))) for part in parts}) == len(parts)
    assert len(snapshot_format()) == 16
