"""Listing of a check at its condition: identifier, place in the order, profile rows, and rows of the log.

`engine.check_catalogue` makes the catalog of these, and decides which of them a row needs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Final, NamedTuple

from pitwarden.rules.checks.context import CheckContext, DeclaredRowsOfCheck, Rows
from pitwarden.rules.profile.profile import GameProfile
from pitwarden.rules.setup.table_setup import KeyedInputs, monitored_rules
from pitwarden.rules.state.state import Finding

Check = Callable[[CheckContext], Iterator[Finding]]

CARD: Final = "card"
FOUND: Final = "found card"
FIRST: Final = "first card"
FURTHER: Final = "further card"
OF_DEAL: Final = "card of the deal"
OF_SHOE: Final = "first card of the shoe"
OF_DEALER: Final = "card of the dealer"
REPORTED: Final = "card after a reported blackjack"
TURNED: Final = "card after the hole card was turned"
IN_VOID: Final = "card in a void round"
ODD: Final = "card face up or of another back"
BEGINS: Final = "round begins"
REVEAL: Final = "reveal"
UNREADABLE: Final = "unreadable"
IMBALANCE: Final = "imbalance"
BUSY: Final = "device at work"
ASKED: Final = "reader without answer"
EMPTY: Final = "shoe empty"
PAID: Final = "wager settled"
BY_HAND: Final = ("kp.stub", "kp.hands", "kp.dealer_reveal", "kp.reveal", "kp.face_up")
"""Keys besides the decisions that show a deal which no device sensed."""


@dataclass(frozen=True)
class CheckEntry:
    """A check, the profile rows under which it finds something, and the rows of the log on which it may.

    Those are named by kind or act, or by a sign: a card left the shoe, and which; a round began; something became
    public; a seal could not be opened; the card ledger disagreed. Some signs last from row to row: a device is at
    work, the reader has not answered, the shoe is empty, a wager of the round was keyed as settled.

    `id` is published in `check.failed` and printed by `pitwarden clauses`. It does not follow the names of modules and
    functions: whoever renames a function leaves it as it is.
    """

    id: str
    check: Check
    rules: tuple[str, ...]
    on: tuple[str, ...]
    reads: tuple[str, ...] = ()
    """Keys of further rows of which it uses a parameter, or whether the game has them."""
    place: int = 0
    """Place in the order in which the checks run, and so of the findings of one row. Numbers leave room between."""
    known: frozenset[str] = field(init=False, repr=False)
    """Keys of all rows that it may read."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", frozenset((*self.rules, *self.reads)))

    def with_rows(self, profile: GameProfile, inputs: KeyedInputs) -> "DueCheck":
        """Return the check with those rows of a game that it declares, at a table where `inputs` are keyed."""
        monitored = monitored_rules(profile, inputs)
        rules, rows = (
            DeclaredRowsOfCheck((key, known.get(key)) for key in self.known) for known in (monitored, profile.by_key)
        )
        return DueCheck(self.id, self.check, rules.__getitem__, rows.__getitem__)


class DueCheck(NamedTuple):
    """Check with the rows of a table's game that it declares."""

    id: str
    check: Check
    rule: Rows
    row: Rows


_LISTED: Final[list[CheckEntry]] = []


def check(
    ident: str, *, place: int, rules: tuple[str, ...], on: tuple[str, ...], reads: tuple[str, ...] = ()
) -> Callable[[Check], Check]:
    """Return a decorator that lists a condition as a check and leaves it as it is; arguments as in `CheckEntry`."""

    def listed(condition: Check) -> Check:
        _LISTED.append(CheckEntry(ident, condition, rules, on, reads, place))
        return condition

    return listed


def checks_of(*modules: ModuleType) -> tuple[CheckEntry, ...]:
    """Return the checks of some modules, in the order in which they run."""
    names = {module.__name__ for module in modules}
    return tuple(sorted((one for one in _LISTED if one.check.__module__ in names), key=lambda one: one.place))
