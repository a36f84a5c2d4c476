"""Membership of a pit's process in a group of judges, whose library is loaded only where a group is configured."""

import platform
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from pitwarden.config.broker_addresses import broker_addresses
from pitwarden.config.models import JudgeGroupSection, TableFile
from pitwarden.journal.errors import JournalUnwritableError
from pitwarden.seal.keys import derive_checkpoint_key, key_paths, load_private_keys
from pitwarden.system.clock import SystemClock

if TYPE_CHECKING:
    from pitwarden.judge_group.group import JudgeGroup
    from pitwarden.judge_group.seat import TableSeat


def open_group(section: JudgeGroupSection) -> "JudgeGroup":
    """Return the membership that the section configures.

    Raises:
        JournalUnwritableError: The library for PostgreSQL is not installed.
    """
    try:
        from pitwarden.judge_group.group import JudgeGroup  # noqa: PLC0415  an optional library
    except ModuleNotFoundError as error:
        raise JournalUnwritableError(
            f"[judge_group] needs the library {error.name}. Install the package pitwarden[property]"
        ) from None
    clock = SystemClock()
    return JudgeGroup(section, machine_name(), lambda: clock.mono_ms() / 1_000)


def machine_name() -> str:
    """Return the name of this machine, as far as a member's name may contain it."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", platform.node())[:64] or "judge"


def new_seat(file: TableFile, reachable: Callable[[], Awaitable[bool]]) -> "TableSeat":
    """Return the seat of a table, which knows the keys that its judge signs with.

    Raises:
        KeyFileError: A key cannot be used.
    """
    from pitwarden.judge_group.seat import TableSeat  # noqa: PLC0415  an optional library

    keys = load_private_keys(key_paths(file.storage.keys).judge)
    signers = tuple(derive_checkpoint_key(key).public for key in keys)
    broker = ", ".join(map(str, broker_addresses(file.broker)))
    login = f"{file.broker.username} {file.broker.cert}"
    return TableSeat(f"{file.table.site}/{file.table.table}", signers, reachable, f"{broker} as {login}")
