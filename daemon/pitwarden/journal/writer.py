"""Which pitwarden went on with a journal last: an older one may not, since it may not know what was written."""

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Final

from pitwarden.journal.faults import REFUSALS, JournalVersionError

WRITTEN_BY: Final = "written_by"


async def claim(path: Path, last: str | None, note: Callable[[str], Awaitable[None]]) -> None:
    """Goes on with the journal at `path`, whose note WRITTEN_BY is `last`, and has it noted.

    JournalVersionError, and nothing touched, when a newer version went on with it before.
    """
    ours = version("pitwarden")
    if last is not None and is_newer(last):
        raise JournalVersionError(
            f"{path}: pitwarden {last} went on with this journal, and this is {ours}: a downgrade is refused, since"
            f" older code judges by other rules and may not read what was written. Install {last} or a newer one. If"
            " the older one is meant: keep the journals elsewhere as evidence and begin afresh; the table holds until"
            " its decks are verified"
        )
    if last != ours:
        with suppress(*REFUSALS):  # a full disk is no reason not to start; the next start notes it
            await note(ours)


def is_newer(last: str) -> bool:
    """Whether version `last` is newer than this one."""
    return _release(last) > _release(version("pitwarden"))


def _release(text: str) -> tuple[int, ...]:
    """The numbers of a version; what follows them (a build, a pre-release) tells nothing about what can be read."""
    found = re.match(r"\d+(\.\d+)*", text)
    return tuple(int(part) for part in found[0].split(".")) if found else ()
