"""Ancestry of a log across epochs, and the hashes of its latest rows.

It decides whether a row is next in the log, was in it, or belongs to another log. The hash window distinguishes a
duplicate of a row from a conflicting one.

Threat: a field half that restarts, or whose disk was wiped, restored or copied.
"""

from collections.abc import Collection
from typing import Final

from pitwarden_client.chain.log_row import LogRow
from pitwarden_client.events.base import Position
from pitwarden_client.events.envelope import GENESIS
from pitwarden_client.events.table import Head

REMEMBERED: Final = 1_000  # so far back a row that comes again is compared with what it was the first time
_BYTES: Final = 32


class HashWindow:
    """Hashes of the last `most` rows of one table, 32 bytes each: a pit holds them for a thousand tables."""

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most, self._count = most, 0
        self._hashes = bytearray(most * _BYTES)
        self._epochs: list[tuple[str, int, int]] = []  # name, number of its first row here, how many rows came before

    def add(self, at: Position, row_hash: str) -> None:
        """Add the next row: the number after the last one, or the first row of another epoch."""
        if not self._epochs or self._epochs[-1][0] != at.epoch:
            self._epochs = [*self._kept(), (at.epoch, at.number, self._count)]
        place = self._count % self._most * _BYTES
        self._hashes[place : place + _BYTES] = bytes.fromhex(row_hash)
        self._count += 1

    def hash_of(self, at: Position) -> str | None:
        """Return the hash of row `at`, in hexadecimal; None when it is outside the window."""
        until = self._count
        for epoch, number, before in reversed(self._epochs):
            row = before + at.number - number
            if epoch == at.epoch:
                remembered = max(before, self._count - self._most) <= row < until
                place = row % self._most * _BYTES
                return self._hashes[place : place + _BYTES].hex() if remembered else None
            until = before
        return None

    def _kept(self) -> list[tuple[str, int, int]]:
        """Return the epochs with rows in the window."""
        ends = [*(before for _, _, before in self._epochs[1:]), self._count]
        oldest = self._count - self._most
        return [epoch for epoch, end in zip(self._epochs, ends, strict=False) if end > oldest]


class Lineage:
    """Ancestry of one table's log, up to its last accepted row `taken`. `followed` names the epochs so far."""

    def __init__(self, taken: Head | None, followed: Collection[str]) -> None:
        self.taken = taken
        self._followed = set(followed)
        self._recent = HashWindow()

    def has_followed(self, epoch: str) -> bool:
        """Return whether a row of `epoch` was accepted."""
        return epoch in self._followed

    def begin(self, behind: Head) -> None:
        """Start after a row that was not read."""
        self.taken = behind
        self._followed.add(behind.at.epoch)

    def accept(self, row: LogRow) -> None:
        """Extend the log by `row`."""
        self.begin(row.head)
        self._recent.add(row.at, row.hash)

    def is_next(self, row: LogRow) -> bool:
        """Return whether `row` continues the last accepted one."""
        if self.taken is None:
            return row.at.number == 1 and row.prevhash == GENESIS
        if row.at.epoch == self.taken.at.epoch:
            return row.at.number == self.taken.at.number + 1
        # Not the hash alone: the parent is signed, and proves that the field half itself continued this row.
        return row.at.number == 1 and row.prevhash == self.taken.hash and row.parent == self.taken

    def is_old(self, row: LogRow) -> bool:
        """Return whether the log is already past the position of `row`."""
        if self.taken is None or row.at.epoch not in self._followed:
            return False
        return row.at.epoch != self.taken.at.epoch or row.at.number <= self.taken.at.number

    def fork(self, row: LogRow) -> str | None:
        """Return why `row` can never continue this log, or have been part of it; None when it can."""
        if self.taken is None:
            return None
        if self.is_old(row):
            # After a restart the window is empty: an older row then counts as a duplicate, since nothing contradicts
            # it.
            once = self._recent.hash_of(row.at)
            if row.at == self.taken.at:
                once = self.taken.hash
            return None if once in (None, row.hash) else "the same number had another row"
        if row.at.epoch == self.taken.at.epoch:
            broken = row.at.number == self.taken.at.number + 1 and row.prevhash != self.taken.hash
            return "the row names another predecessor than the one that we have" if broken else None
        return self._opening_fork(row, self.taken) if row.at.number == 1 else None

    def _opening_fork(self, row: LogRow, ours: Head) -> str | None:
        parent = row.parent
        if parent is None:
            return "the log begins anew and knows nothing of what was before"
        if parent == ours:
            return None if row.prevhash == ours.hash else "the opening names one parent and follows another row"
        if parent.at.epoch not in self._followed:
            return None
        if parent.at.epoch == ours.at.epoch and parent.at.number > ours.at.number:
            return None
        return f"the log goes on from {parent.at.epoch}/{parent.at.number}, which is not where ours ends"
