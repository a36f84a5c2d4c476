"""Input and output of the oracle: a line of a scenario file in; catalog numbers with verdict words out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Said:
    """Event of a line: its word and arguments, as in `sh.card 9H up`."""

    word: str
    args: tuple[str, ...] = ()

    @classmethod
    def of(cls, line: str) -> "Said":
        """Return the event of `line`."""
        word, *args = line.split()
        return cls(word, tuple(args))

    @property
    def box(self) -> int:
        """Box of the first argument."""
        return int(self.args[0])


@dataclass(frozen=True, slots=True)
class ExpectedFinding:
    """Expected finding: under one of `ids`, all of `words`, optionally those in `maybe`. Optional if not `needed`.

    No ids: under any number. `refused` represents a refused input; `due` and `overdue` a duty. `analogy`: the game's
    own text is not in our sources, and the finding must state that. `fresh`: a breach of this round, which an open one
    of an earlier round does not report. `box`: the box that it names. `deck`: the deck that it names; `NO_DECK` where
    no one can know it.
    """

    ids: frozenset[str]
    words: frozenset[str]
    maybe: frozenset[str] = frozenset()
    needed: bool = True
    analogy: bool = False
    fresh: bool = False
    box: int = 0
    deck: str = ""


NO_DECK: Final = "-"


def find(
    ids: str,
    words: str,
    maybe: str = "",
    *,
    needed: bool = True,
    analogy: bool = False,
    fresh: bool = False,
    box: int = 0,
    deck: str = "",
) -> ExpectedFinding:
    """Return a finding; `find("CB-16|CB-22", "VOID DECK_OUT", "SHUFFLE")`."""
    numbers = frozenset(ids.split("|")) if ids else frozenset[str]()
    return ExpectedFinding(
        numbers, frozenset(words.split()), frozenset(maybe.split()), needed, analogy, fresh, box, deck
    )


ANALOGY: Final = "SH-23"
"""Number under which Switch Hands borrows sentences that are not in our sources."""

BREACHES: Final = frozenset({
    "start", "attack2", "attack3", "bonus", "early dealer", "check", "insurance", "collect", "ib", "antes", "choices",
    "no card", "surrender",
})  # fmt: skip
"""Subjects whose sentence binds each round: the same breach in another round is another breach."""


@dataclass(frozen=True, slots=True)
class OutputBook:
    """Catalog numbers of a game, by subject; "" for any number."""

    numbers: Mapping[str, str]

    def duty(self, subject: str, words: str, maybe: str = "", *, needed: bool = True) -> list[ExpectedFinding]:
        """Return `words` under the numbers of `subject`; nothing where our sources have no sentence."""
        if subject not in self.numbers:
            return []
        number = self.numbers[subject]
        analogy, fresh = number in {"", ANALOGY}, subject in BREACHES
        return [find(number, words, maybe, needed=needed, analogy=analogy, fresh=fresh)]

    def said(self, subject: str, words: str, maybe: str = "", *, needed: bool = True) -> list[ExpectedFinding]:
        """Return as `duty`; where our sources have no sentence, it may follow by analogy."""
        found = self.duty(subject, words, maybe, needed=needed)
        return found or [find("", words, maybe, needed=False, analogy=True)]


CHIP: Final = 500
"""Usual unit of chips, in cents: the dealer counts in units of $5."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Set-up of the table. `keyed` None: all is keyed. `counts`: the shuffler counts.

    `visible`: players see the reader.

    `in_set`: decks in a set, 0 for the usual number; `bart_carter`: about a deck at a time is shuffled back in.
    `insurance_unit`: cents of the unit that can be wagered in chips (36.10(b)); `early_window`: the house has an
    ALERT where a window is closed before the cards that it follows (36.7(d), (e)).
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
    insurance_unit: int = CHIP
    early_window: bool = False

    def knows(self, *words: str) -> bool:
        """Return whether all of `words` are keyed at this table."""
        return self.keyed is None or self.keyed.issuperset(words)


class TextSilentError(Exception):
    """The texts, or the table's sensors, do not decide what follows. Policy: the comparison ends before this event.

    Example: a card is drawn without a request, and no key gives the reason.
    """


ANYTHING: Final = (ExpectedFinding(frozenset(), frozenset(), needed=False),)
"""Any finding: the texts leave this one event open; later ones are judged again."""
