"""The page of limits lists what the code has, each with its reason."""

from _generate.limits import FILE, limits, limits_page
from pitwarden.bus.sender import WINDOW
from pitwarden.field.log.sequencer import QUEUE_ROWS, RETRY_S
from pitwarden.system.process import STOP_S


def test_the_page_of_limits_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == limits_page(), "run: PYTHONPATH=docs python -m _generate.limits"


def test_every_time_and_every_bound_has_its_reason() -> None:
    assert [f"{one.file}: {one.name}" for one in limits() if one.is_named_as_limit and not one.reason] == []


def test_values_and_units_are_those_of_the_code() -> None:
    found = {(one.file.rpartition("/")[2], one.name): one for one in limits()}
    for file, name, value, unit in (
        ("sequencer.py", "QUEUE_ROWS", QUEUE_ROWS, "rows"),
        ("sequencer.py", "RETRY_S", RETRY_S, "s"),
        ("sender.py", "WINDOW", WINDOW, ""),
        ("process.py", "STOP_S", STOP_S, "s"),
    ):
        assert (found[file, name].value, found[file, name].unit) == (value, unit)


def test_numbers_that_bound_nothing_are_not_listed() -> None:
    names = {one.name for one in limits()}
    assert names.isdisjoint({"DAY_MS", "APPLICATION", "TLS_PORT", "JOKER", "SCHEMA_VERSION"})
