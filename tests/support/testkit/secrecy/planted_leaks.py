"""Leaks planted in the real code, one channel each, to show that the non-interference tests fail on them."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final
from unittest.mock import patch

import structlog

from pitwarden.judge.table_judge import TableJudge
from pitwarden.rules import LogEntry, RuleOutput, RulesState, step
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.outputs import Notice, Output

Leak = Callable[[], AbstractContextManager[object]]

_log = structlog.get_logger()
_judge = TableJudge.judge


def _secret(entry: LogEntry) -> int:
    """Return a number that only the seals of a row disclose; 0 when there is none in it."""
    return sum(entry.faces) + len(entry.faces) + (0 if entry.bit is None else 1 + entry.bit)


def _telling(state: RulesState, entry: LogEntry) -> tuple[RulesState, tuple[RuleOutput, ...]]:
    after, said = step(state, entry)
    told = Notice(catalogue="-", clauses=(), verdicts=(), sentence=f"a card worth {_secret(entry)}")
    return after, (*said, told) if _secret(entry) else said


def _logging(state: RulesState, entry: LogEntry) -> tuple[RulesState, tuple[RuleOutput, ...]]:
    _log.debug("judging", row=entry.number, worth=_secret(entry))
    return step(state, entry)


def _longer(state: RulesState, entry: LogEntry) -> tuple[RulesState, tuple[RuleOutput, ...]]:
    after, said = step(state, entry)
    told = Notice(catalogue="-", clauses=(), verdicts=(), sentence="." * (_secret(entry) % 500))
    return after, (*said, told)


async def _slower(judge: TableJudge, row: LogEvent) -> tuple[Output, ...]:
    await asyncio.sleep(_secret(judge._unsealer.entry(row)) / 1_000)  # noqa: SLF001  a planted leak reaches into private state
    return await _judge(judge, row)


LEAKS: Final[dict[str, Leak]] = {
    "a notice": lambda: patch("pitwarden.judge.table_judge.step", _telling),
    "a log line": lambda: patch("pitwarden.judge.table_judge.step", _logging),
    "a length": lambda: patch("pitwarden.judge.table_judge.step", _longer),
    "a delay": lambda: patch.object(TableJudge, "judge", _slower),
}
