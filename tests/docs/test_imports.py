"""The page of imports says what import-linter enforces, for each room."""

from pathlib import Path

import pytest

from _generate.imports import FILE, ROOT, SOURCES, imports_page, may_import


def test_the_page_of_imports_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == imports_page(), "run: PYTHONPATH=docs python -m _generate.imports"


def test_each_folder_of_a_package_has_a_row() -> None:
    page = imports_page()
    folders = {
        f"{package}.{one.parent.name}"
        for package, root in SOURCES.items()
        for one in (Path(ROOT) / root / package).glob("*/__init__.py")
    }
    assert len(folders) > 40
    assert sorted(folder for folder in folders if f"\n| `{folder}` |" not in page) == []


@pytest.mark.parametrize(
    ("room", "allowed", "refused"),
    [
        ("pitwarden.judge", "pitwarden.journal", "pitwarden.field"),
        ("pitwarden.field.inputs", "pitwarden.field.log", "pitwarden.field.outbound"),
        ("pitwarden.rules.checks", "pitwarden.rules.transitions", "pitwarden.rules.ledger"),
        ("pitwarden.rules.frozen", "pitwarden_client", "pitwarden.rules.state"),
        ("pitwarden_console.web", "pitwarden_client", "pitwarden.rules"),
        ("pitwarden_client.events", "", "pitwarden_client.errors"),
        ("pitwarden_simulators.table", "pitwarden_simulators.faults", "pitwarden_simulators.demo"),
    ],
)
def test_a_room_may_import_what_lies_below_it(room: str, allowed: str, refused: str) -> None:
    rooms = may_import(room)
    assert not allowed or allowed in rooms
    assert refused not in rooms
