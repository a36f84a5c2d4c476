"""Real service with a planted fault: on SIGUSR1 a task dies, a part hangs, or the loop is blocked.

A fold is held from its first row on; then it continues, or ends as if the disk could not be read, for the given REASON.
With `look` no fault is planted, and the field half inspects its journal at once.

Usage: faulty_service.py crash "TASK NAME" | hang PART | block SECONDS | fold REASON | look "" -- arguments
"""

import asyncio
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, NoReturn

from pitwarden.cli.main import main
from pitwarden.field.log import retention
from pitwarden.field.outbound.delivery import JudgeDelivery
from pitwarden.journal.errors import JournalUnwritableError
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.records import StoredOutput
from pitwarden.judge.processing import JudgingLoop
from pitwarden.judge.publisher import OutputPublisher
from pitwarden_client.events.base import Position

HUNG = {
    "field delivery": (JudgeDelivery, "_store_and_publish_head"),
    "field log": (FieldJournal, "commit"),
    "judge pump": (OutputPublisher, "_publish_page"),
    "judge work": (JudgingLoop, "_process"),
}


def crash(name: str) -> bool:
    """Make the future that a task awaits end with a RuntimeError; return False when it awaits none at present."""
    found = [task for task in asyncio.all_tasks() if task.get_name() == name]
    waits_for: asyncio.Future[None] | None = found[0]._fut_waiter if found else None  # type: ignore[attr-defined]  # noqa: SLF001
    if waits_for is None or waits_for.done():
        return False
    waits_for.set_exception(RuntimeError(f"planted in {name}"))
    return True


async def _forever(*_: object) -> NoReturn:
    await asyncio.Event().wait()
    raise AssertionError


def hang(part: str) -> None:
    """Make the next step of a part hang."""
    cls, method = HUNG[part]
    setattr(cls, method, _forever)


def block(seconds: str) -> None:
    """Block the loop for this number of seconds."""
    threading.Event().wait(float(seconds))


def hold_folds(reason: str) -> Callable[[str], object]:
    """Hold every judge's fold before its first row until the returned function is called."""
    let_go, read = asyncio.Event(), JudgeJournal.outputs_of

    async def held(journal: JudgeJournal, table: str, first: Position, last: Position) -> list[StoredOutput]:
        await let_go.wait()
        if reason:
            raise JournalUnwritableError(reason)
        return await read(journal, table, first, last)

    setattr(JudgeJournal, "outputs_of", held)  # noqa: B010  a method of the real journal
    return lambda _reason: let_go.set()


def plant(kind: str, what: str) -> None:
    """Arrange for the fault once the loop runs and SIGUSR1 arrives."""
    if kind == "look":
        retention.FIRST_S = 0  # type: ignore[misc]
        return
    acts: dict[str, Callable[[str], object]] = {"crash": crash, "hang": hang, "block": block}
    act = acts[kind] if kind in acts else hold_folds(what)
    made = asyncio.new_event_loop

    def with_saboteur() -> asyncio.AbstractEventLoop:
        loop = made()
        loop.add_signal_handler(signal.SIGUSR1, act, what)
        return loop

    patched: Any = asyncio.events
    patched.new_event_loop = with_saboteur


if __name__ == "__main__":
    plant(sys.argv[1], sys.argv[2])
    sys.exit(main(sys.argv[4:]))
