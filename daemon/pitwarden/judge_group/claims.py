"""Claims of this process on tables: what the database holds of each, and whether it may still be spoken about.

Two decisions must agree. The database decides what is stored: `term` and `run` are compared in the very
statement that stores. The process decides what is published: only before its deadline, by its own monotonic clock.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from pitwarden.journal.errors import JournalFencedError
from pitwarden.journal.records import OutputHead
from pitwarden_client.events.table import Head


@dataclass(slots=True)
class TableClaim:
    """Ownership of one table by this process, under one term.

    `ord`, `head` and `outputs` are the end of the record as this process has committed it; `published` is the mark of
    published outputs, which may be newer than the stored one.
    """

    table: str
    record: str
    run: str
    term: int
    ord: int = 0
    head: Head | None = None
    outputs: OutputHead | None = None
    published: int = 0
    is_resumed: bool = False
    """True once the end of the record was read from the database. From then on only this process changes it."""
    is_current: bool = True
    """False once the table was lost or given back."""


@dataclass(slots=True)
class ClaimBook:
    """Claims of this process by table. `now_s` is its monotonic clock; `deadline_s` is when its lease ends by it."""

    now_s: Callable[[], float]
    deadline_s: float = 0.0
    is_lapsed: bool = False
    """True from the end of the lease until it is known again which tables are ours. No commit begins meanwhile."""
    claims: dict[str, TableClaim] = field(default_factory=dict)

    def of(self, table: str) -> TableClaim:
        """Return the claim on `table`.

        Raises:
            JournalFencedError: This process does not own it.
        """
        claim = self.claims.get(table)
        if claim is None or not claim.is_current:
            raise JournalFencedError(f"{table}: this process does not own the table")
        return claim

    def may_speak(self, claim: TableClaim) -> bool:
        """Return whether something may be published that `claim` covers."""
        return claim.is_current and self.now_s() < self.deadline_s

    def drop(self, claim: TableClaim) -> None:
        """Record that the table is lost, or given back."""
        claim.is_current = False
        if self.claims.get(claim.table) is claim:
            del self.claims[claim.table]

    def drop_all(self) -> list[TableClaim]:
        """Record that every table is lost, and return their claims."""
        lost = list(self.claims.values())
        for claim in lost:
            self.drop(claim)
        return lost
