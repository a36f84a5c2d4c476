"""The real service with a saboteur inside: on SIGUSR1 a task dies, a part hangs, or the loop is blocked.

Usage: sabotaged_service.py crash "TASK NAME" | hang PART | block SECONDS -- arguments of pitwarden
"""

import asyncio
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, NoReturn

from pitwarden.cli.main import main
from pitwarden.field.delivery import Delivery
from pitwarden.field.log import TableLog
from pitwarden.judge.pump import OutputPump
from pitwarden.judge.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable

HUNG = {"field delivery": (Delivery, "_note"), "field log": (TableLog, "flush"), "judge pump": (OutputPump, "_some"),
        "judge work": (Work, "_take")}  # fmt: skip


def crash(name: str) -> bool:
    """What the task waits for ends with a RuntimeError; False when it does not wait just now."""
    [task] = [task for task in asyncio.all_tasks() if task.get_name() == name]
    waits_for: asyncio.Future[None] | None = task._fut_waiter  # type: ignore[attr-defined]  # noqa: SLF001
    if waits_for is None or waits_for.done():
        return False
    waits_for.set_exception(RuntimeError(f"planted in {name}"))
    return True


async def _forever(*_: object) -> NoReturn:
    await asyncio.Event().wait()
    raise AssertionError


def hang(part: str) -> None:
    """The part's next step never ends."""
    cls, method = HUNG[part]
    setattr(cls, method, _forever)


def block(seconds: str) -> None:
    """Nothing runs in the loop for so long."""
    threading.Event().wait(float(seconds))


def plant(kind: str, what: str) -> None:
    """Arranges for the sabotage once the loop runs and SIGUSR1 comes."""
    act: Callable[[str], object] = {"crash": crash, "hang": hang, "block": block}[kind]
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
