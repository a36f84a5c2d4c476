"""The note of found damage condemns its journal at the next start, and no other."""

from pathlib import Path

from pitwarden.audit.backup import FILES, backup, restore
from pitwarden.journal.damage import SEEN, mark_damaged
from pitwarden.journal.field_journal import FieldJournal
from testkit.journals.stored_night import FIELD, stored_night


async def opens_sound(path: Path) -> None:
    journal = await FieldJournal.open(path)
    assert journal.damage is None
    await journal.close()


async def test_an_empty_note_counts_and_one_without_its_journal_does_not(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.with_name(path.name + SEEN).touch()
    await opens_sound(path)
    assert not path.with_name(path.name + SEEN).exists()
    path.with_name(path.name + SEEN).touch()
    journal = await FieldJournal.open(path)
    assert journal.damage is not None
    assert journal.damage.reason == f"{path}: damage was seen"
    await journal.close()


def test_the_first_reason_stays_and_a_folder_that_takes_no_note_stops_nothing(tmp_path: Path) -> None:
    for reason in ("first", "second"):
        mark_damaged(tmp_path / "log", reason)
    assert (tmp_path / f"log{SEEN}").read_text() == "first"
    mark_damaged(tmp_path / "nowhere" / "log", "unsaid")


async def test_a_restored_journal_is_not_condemned_by_what_was_seen_in_the_old_one(tmp_path: Path) -> None:
    folder = tmp_path / "journals"
    folder.mkdir()
    stored_night(folder)
    backup([folder / name for name in FILES], tmp_path / "copies")
    mark_damaged(folder / FIELD, "seen in the old one")
    restore(tmp_path / "copies", [folder / name for name in FILES])
    await opens_sound(folder / FIELD)
    assert (folder / f"{FIELD}.before-restore-1{SEEN}").exists()
