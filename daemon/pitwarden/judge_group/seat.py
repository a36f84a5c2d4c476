"""Seat of a table at a member of a group: its claim, and the signals between the member and the table's judge."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from pitwarden.judge_group.claims import TableClaim


@dataclass(slots=True, eq=False)
class TableSeat:
    """Table that this process can judge.

    `signers`: public keys that its judge signs with, or has signed with. `reachable` returns whether its broker
    answers; tables of one `broker` share the answer. The supervisor of the table sets `is_idle`, `is_linked` and
    `resumed` while its judge runs.
    """

    table: str
    signers: tuple[str, ...]
    reachable: Callable[[], Awaitable[bool]]
    broker: str = ""
    claim: TableClaim | None = None
    is_wanted: bool = False
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the judge of the table must end: the table is lost, or is to be given back."""
    is_idle: Callable[[], bool] | None = None
    seated_s: float = 0.0
    is_linked: Callable[[], bool] | None = None
    resumed: Callable[[], None] | None = None
    """Called when the table may be spoken about again after the lease had ended."""
    linked_s: float = 0.0
    free_since_s: float | None = None
    is_cut_off: bool = False
    refused: str = ""
    claimed: asyncio.Event = field(default_factory=asyncio.Event)
