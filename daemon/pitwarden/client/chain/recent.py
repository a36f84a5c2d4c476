"""The hashes of a log's last rows, so that a row that comes again is known to be the same one."""

from typing import Final

from pitwarden.events.base import Position

REMEMBERED: Final = 1_000  # so far back a row that comes again is compared with what it was the first time
_BYTES: Final = 32


class RecentRows:
    """The last `most` rows of one table, 32 bytes each: a pit keeps them for a thousand tables."""

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most, self._count = most, 0
        self._hashes = bytearray(most * _BYTES)
        self._epochs: list[tuple[str, int, int]] = []  # name, number of its first row here, how many rows came before

    def add(self, at: Position, row_hash: str) -> None:
        """The next row: the number behind the last one, or the first of another epoch."""
        if not self._epochs or self._epochs[-1][0] != at.epoch:
            self._epochs = [*self._kept(), (at.epoch, at.number, self._count)]
        place = self._count % self._most * _BYTES
        self._hashes[place : place + _BYTES] = bytes.fromhex(row_hash)
        self._count += 1

    def hash_of(self, at: Position) -> str | None:
        """What row `at` was, in hexadecimal; None when it is not remembered."""
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
        """The epochs of which rows are still remembered."""
        ends = [*(before for _, _, before in self._epochs[1:]), self._count]
        oldest = self._count - self._most
        return [epoch for epoch, end in zip(self._epochs, ends, strict=False) if end > oldest]
