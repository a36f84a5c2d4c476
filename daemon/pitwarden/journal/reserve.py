"""Room kept back beside a journal, so that "the journal is full" can itself be recorded."""

import os
from pathlib import Path
from typing import Final

from pitwarden.journal.worker import Worker

RESERVE_BYTES: Final = 1_048_576


class Reserve:
    """A file of RESERVE_BYTES beside the journal. Spend it to record the fault; device rows wait until it is back."""

    def __init__(self, journal: Path, worker: Worker) -> None:
        self._path = journal.with_name(journal.name + ".reserve")
        self._worker = worker

    async def keep(self) -> bool:
        """Makes the file if there is room for it; whether it is there."""
        return await self._worker.run(self._keep)

    async def spend(self) -> None:
        """Gives its room to the journal."""
        await self._worker.run(lambda: self._path.unlink(missing_ok=True))

    def _keep(self) -> bool:
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return False
        try:
            os.posix_fallocate(descriptor, 0, RESERVE_BYTES)
        except OSError:
            self._path.unlink()
            return False
        finally:
            os.close(descriptor)
        return True
