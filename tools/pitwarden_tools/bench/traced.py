"""Marks in a measured service: wrapped around its functions from outside, so that its code has none."""

import atexit
import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from timeit import default_timer
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Stage:
    """Stage that ends when the function `place` (module:path) begins, or `after` it."""

    name: str
    place: str
    after: bool = True


STAGES: Final = (
    Stage("the line is read", "pitwarden_drivers.ports.fd_port:FdPort._readable", after=False),
    Stage("the frame is understood", "pitwarden.field.log.sequencer:LogSequencer.offer", after=False),
    Stage("the row is built and sealed", "pitwarden.field.log.row_builder:RowBuilder.build"),
    Stage("the journal's thread has it", "pitwarden.journal.field_store:FieldStore.append", after=False),
    Stage("the row is committed", "pitwarden.journal.field_store:FieldStore.append"),
    Stage("the loop has it again", "pitwarden.bus.connection:Connection.send", after=False),
    Stage("the row is sent", "pitwarden.bus.connection:Connection.send"),
    Stage("the broker has brought it", "pitwarden.bus.connection:Connection._on_message", after=False),
    Stage("the row is read and checked", "pitwarden.judge.intake:RowIntake.put"),
    Stage("its seal is opened", "pitwarden.judge.unsealing:RowUnsealer.open_row"),
    Stage("it is judged", "pitwarden.judge.table_judge:step"),
    Stage("the verdict is built", "pitwarden.judge.outputs:OutputChain.append"),
    Stage("the judge's thread has it", "pitwarden.journal.judge_store:JudgeStore.commit_group", after=False),
    Stage("the verdict is committed", "pitwarden.journal.judge_store:JudgeStore.commit_group"),
    Stage("the judge's loop has it again", "pitwarden.bus.connection:Connection.send", after=False),
    Stage("the verdict is sent", "pitwarden.bus.connection:Connection.send"),
)
_marks: list[tuple[str, float]] = []


def key(stage: Stage) -> str:
    """Return the mark of a stage; stages at the same place share one."""
    return f"{stage.place}{'>' if stage.after else '<'}"


def trace(file: str) -> None:
    """Install the marks in this process, and write them to `file` when it ends."""
    for place in dict.fromkeys(stage.place for stage in STAGES):
        module, _, path = place.partition(":")
        *owners, name = path.split(".")
        owner: object = import_module(module)
        for each in owners:
            owner = getattr(owner, each)
        setattr(owner, name, _marked(getattr(owner, name), place))
    atexit.register(lambda: Path(file).write_text(json.dumps(_marks), encoding="utf-8"))


def _marked(honest: Callable[P, R], place: str) -> Callable[P, R]:
    def marked(*args: P.args, **named: P.kwargs) -> R:
        _marks.append((f"{place}<", default_timer()))
        result = honest(*args, **named)
        _marks.append((f"{place}>", default_timer()))
        return result

    return marked
