"""What the oracle hears and says: a line of a scenario file in; catalogue numbers with verdict words out."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Said:
    """One event: its word and arguments, as in `sh.card 9H up`."""

    word: str
    args: tuple[str, ...] = ()

    @classmethod
    def of(cls, line: str) -> "Said":
        """The event that `line` names."""
        word, *args = line.split()
        return cls(word, tuple(args))

    @property
    def box(self) -> int:
        """The box that the first argument names."""
        return int(self.args[0])


@dataclass(frozen=True, slots=True)
class Finding:
    """What must be said: under one of `ids`, all of `words`, at will also those in `maybe`. Needless if not `needed`.

    No ids: under any number. `refused` stands for an input that is refused; `due` and `overdue` for a duty.
    """

    ids: frozenset[str]
    words: frozenset[str]
    maybe: frozenset[str] = frozenset()
    needed: bool = True


def find(ids: str, words: str, maybe: str = "", *, needed: bool = True) -> Finding:
    """A finding; `find("CB-16|CB-22", "VOID DECK_OUT", "SHUFFLE")`."""
    numbers = frozenset(ids.split("|")) if ids else frozenset[str]()
    return Finding(numbers, frozenset(words.split()), frozenset(maybe.split()), needed)


@dataclass(frozen=True, slots=True)
class Setup:
    """The table. `keyed` None: all is keyed. `counts`: the shuffler counts; `visible`: players see the reader."""

    game: str
    positions: int
    decks: tuple[tuple[str, str], ...] = (("A", "red"),)
    mode: str = "manual_shoe"
    counts: bool = True
    reader: bool = False
    visible: bool = False
    shuffler: bool = True
    keyed: frozenset[str] | None = None

    def knows(self, *words: str) -> bool:
        """Whether all of `words` are keyed at this table."""
        return self.keyed is None or self.keyed.issuperset(words)


class TextSilentError(Exception):
    """The texts, or what the table senses, do not decide what follows. Policy: the comparison ends before this event.

    Example: a card is drawn that nothing asked for, and nobody keys why.
    """


ANYTHING: Final = (Finding(frozenset(), frozenset(), needed=False),)
"""The texts leave open what is said to this one event; what follows is judged again."""
