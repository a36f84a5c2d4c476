"""What the oracle hears and says: a line of a scenario file in; catalogue numbers with verdict words out."""

from collections.abc import Mapping
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
class ExpectedFinding:
    """What must be said: under one of `ids`, all of `words`, at will also those in `maybe`. Needless if not `needed`.

    No ids: under any number. `refused` stands for an input that is refused; `due` and `overdue` for a duty. `analogy`:
    the game's own text is not in our sources, and whoever speaks must say so.
    """

    ids: frozenset[str]
    words: frozenset[str]
    maybe: frozenset[str] = frozenset()
    needed: bool = True
    analogy: bool = False


def find(ids: str, words: str, maybe: str = "", *, needed: bool = True, analogy: bool = False) -> ExpectedFinding:
    """A finding; `find("CB-16|CB-22", "VOID DECK_OUT", "SHUFFLE")`."""
    numbers = frozenset(ids.split("|")) if ids else frozenset[str]()
    return ExpectedFinding(numbers, frozenset(words.split()), frozenset(maybe.split()), needed, analogy)


ANALOGY: Final = "SH-23"
"""The number under which Switch Hands borrows sentences that are not in our sources."""


@dataclass(frozen=True, slots=True)
class OutputBook:
    """The catalogue numbers of a game, by subject; "" for any number."""

    numbers: Mapping[str, str]

    def duty(self, subject: str, words: str, maybe: str = "", *, needed: bool = True) -> list[ExpectedFinding]:
        """`words` under the numbers of `subject`; nothing where our sources have no sentence."""
        if subject not in self.numbers:
            return []
        number = self.numbers[subject]
        return [find(number, words, maybe, needed=needed, analogy=number in {"", ANALOGY})]

    def said(self, subject: str, words: str, maybe: str = "", *, needed: bool = True) -> list[ExpectedFinding]:
        """As `duty`; where our sources have no sentence, it may be said by analogy."""
        found = self.duty(subject, words, maybe, needed=needed)
        return found or [find("", words, maybe, needed=False, analogy=True)]


@dataclass(frozen=True, slots=True)
class Setup:
    """The table. `keyed` None: all is keyed. `counts`: the shuffler counts; `visible`: players see the reader.

    `in_set`: decks in a set, 0 for the usual number; `bart_carter`: about a deck at a time is shuffled back in.
    """

    game: str
    positions: int
    decks: tuple[tuple[str, str], ...] = (("A", "red"),)
    mode: str = "manual_shoe"
    counts: bool = True
    reader: bool = False
    visible: bool = False
    shuffler: bool = True
    keyed: frozenset[str] | None = None
    in_set: int = 0
    bart_carter: bool = False

    def knows(self, *words: str) -> bool:
        """Whether all of `words` are keyed at this table."""
        return self.keyed is None or self.keyed.issuperset(words)


class TextSilentError(Exception):
    """The texts, or what the table senses, do not decide what follows. Policy: the comparison ends before this event.

    Example: a card is drawn that nothing asked for, and nobody keys why.
    """


ANYTHING: Final = (ExpectedFinding(frozenset(), frozenset(), needed=False),)
"""The texts leave open what is said to this one event; what follows is judged again."""
