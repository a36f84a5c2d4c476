from pathlib import Path

import pytest

from pitwarden.journal.field_journal import RESERVE_BYTES, FieldJournal


async def test_room_is_kept_back_and_can_be_spent(tmp_path: Path) -> None:
    journal = await FieldJournal.open(tmp_path / "log")
    file = tmp_path / "log.reserve"
    assert await journal.reserve.allocate()
    assert file.stat().st_blocks * 512 >= RESERVE_BYTES
    await journal.reserve.release()
    await journal.reserve.release()
    assert not file.exists()
    await journal.close()


async def test_without_room_nothing_is_kept_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = await FieldJournal.open(tmp_path / "log")

    def full(*_: int) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full)
    assert not await journal.reserve.allocate()
    assert not (tmp_path / "log.reserve").exists()
    (tmp_path / "log.reserve").mkdir()
    assert not await journal.reserve.allocate()
    await journal.close()
