"""Discard rack under the Bart Carter shuffle: 2B.4(h)2."""

from dataclasses import dataclass
from typing import Final

from pitwarden_tools.oracle.said import ExpectedFinding, OutputBook

DECK: Final = 52
NEAR: Final = 8
"""Tolerance of "approximately one deck" (C-49), in cards."""


@dataclass(slots=True)
class Rack:
    """Cards that went to the rack since the stack was inserted. `over`: certainly more than about one deck."""

    drawn: int = 0
    over: bool = False

    def empty(self) -> None:
        """Empty the rack: a complete stack is in the shoe."""
        self.drawn, self.over = 0, False

    def at_round_end(self, book: OutputBook, *, certain: bool) -> list[ExpectedFinding]:
        """Return the reshuffle due when the rack exceeds about one deck. `certain`: all that ends a round is keyed."""
        if self.drawn <= DECK - NEAR:
            return []
        stands, self.over = self.over, certain and self.drawn > DECK + NEAR
        return book.said("rack", "due", needed=self.over and not stands)
