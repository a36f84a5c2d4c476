"""The generated pages: which there are, and what writes each."""

from collections.abc import Callable, Mapping
from typing import Final

from _generate.alarms import alarms
from _generate.commands import commands_page
from _generate.contract import acts, asyncapi, events, topics
from _generate.faults import faults
from _generate.field_cases import field_cases
from _generate.files import capture_format, codes_file, map_file, table_file
from _generate.journal import journal_format
from _generate.keypad import keypad
from _generate.operations import errors, log_events, metrics
from _generate.python_api import python_api
from _generate.round_phases import round_phases
from _generate.rules import clauses_page, profile_page_names, profile_pages, readings_page, verdicts_page
from _generate.scenario import scenario_language
from _generate.specification import tdp

PAGES: Final[Mapping[str, Callable[[], str]]] = {
    "how-to/floor/keypad-card.md": keypad,
    "how-to/technician/respond-to-alarms.md": alarms,
    "reference/acts.md": acts,
    "reference/asyncapi.md": asyncapi,
    "reference/capture-format.md": capture_format,
    "reference/clauses.md": clauses_page,
    "reference/cli.md": commands_page,
    "reference/codes-file.md": codes_file,
    "reference/errors.md": errors,
    "reference/events.md": events,
    "reference/faults.md": faults,
    "reference/journal-format.md": journal_format,
    "reference/log-events.md": log_events,
    "reference/map-file.md": map_file,
    "reference/metrics.md": metrics,
    "reference/python-api.md": python_api,
    "reference/readings.md": readings_page,
    "reference/round-phases.md": round_phases,
    "reference/scenario-language.md": scenario_language,
    "reference/table-file.md": table_file,
    "reference/tdp.md": tdp,
    "reference/topics.md": topics,
    "reference/verdicts.md": verdicts_page,
    "sources/field-cases.md": field_cases,
}
"""File below `docs/` and what writes its text; the profiles of the games come on top."""


def page_names() -> frozenset[str]:
    """Return the file below `docs/` of every generated page."""
    return frozenset(PAGES) | profile_page_names()


def generated() -> dict[str, str]:
    """Return the text of every generated page, by its file below `docs/`."""
    return {name: write() for name, write in PAGES.items()} | profile_pages()
