"""Pay tables as data: the lines of the texts, the one that a table has chosen, and whether it may have it."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from pitwarden.rules.frozen import replace

_ODDS: Final = re.compile(r"\A([1-9]\d{0,4}) (to|for) ([1-9]\d{0,2})\Z")
PUSH: Final = "push"


@dataclass(frozen=True, slots=True)
class PayTable:
    """One pay table of one wager: each line's name and what it pays, the highest hand first.

    What a line pays is `40 to 1`, `41 for 1`, `push`, or words of the text as `Jackpot Meter 1`. `at_least`: the text
    lets the house pay more.
    """

    wager: str
    name: str
    cites: tuple[str, ...]
    lines: tuple[tuple[str, str], ...]
    at_least: bool = False

    def pays(self, line: str) -> str:
        """Return what `line` pays; nothing when the table has no such line."""
        return next((pays for name, pays in self.lines if name == line), "")


@dataclass(frozen=True, slots=True)
class PayChoice:
    """What a table file says of a wager: the table of the text, lines that differ from it, who approved those.

    `posted`: it stands on the layout or on the sign; limits of the stake in cents, None for none.
    """

    wager: str
    table: str = ""
    posted: bool = False
    lines: tuple[tuple[str, str], ...] = ()
    approved: str = ""
    minimum: int | None = None
    maximum: int | None = None


def parse_odds(pays: str) -> Fraction | None:
    """Return the multiple of the stake that is won; a push as 0; None for words that are no odds.

    `40 to 1` wins 40 times the stake. `41 for 1` is the same: the stake is part of what is handed back.
    """
    if pays == PUSH:
        return Fraction(0)
    found = _ODDS.match(pays)
    if found is None:
        return None
    return Fraction(int(found[1]), int(found[3])) - (found[2] == "for")


def pay_table_in_force(tables: tuple[PayTable, ...], choices: tuple[PayChoice, ...], wager: str) -> PayTable | None:
    """Return the pay table of `wager` at this table; None where the text has none, or several and none is chosen."""
    known = tuple(table for table in tables if table.wager == wager)
    choice = next((one for one in choices if one.wager == wager), None)
    named = choice.table if choice is not None else ""
    found = next((table for table in known if table.name == named), None)
    if found is None and not named and len(known) == 1:
        found = known[0]
    if found is None or choice is None:
        return found
    own = dict(choice.lines)
    return replace(found, lines=tuple((line, own.get(line, pays)) for line, pays in found.lines))


def pay_table_problems(tables: tuple[PayTable, ...], choice: PayChoice) -> tuple[str, ...]:
    """Why a table may not have this pay table, each in words; none when it may."""
    known = tuple(table for table in tables if table.wager == choice.wager)
    names = ", ".join(table.name for table in known)
    if not known:
        return (f"the texts of this game have no pay table for {choice.wager}",)
    if not choice.table and len(known) > 1:
        return (f"say which pay table is posted for {choice.wager}: {names}",)
    if choice.table and choice.table not in {table.name for table in known}:
        return (f"{choice.table!r} is no pay table of {choice.wager}: {names}",)
    wrong = [] if choice.posted else [f"the pay table of {choice.wager} is not posted: say posted = true when it is"]
    base = next(table for table in known if table.name == choice.table or not choice.table)
    for line, pays in choice.lines:
        reason = _line_objection(base, line, pays)
        if reason and not (choice.approved and base.pays(line)):
            wrong.append(reason)
    return tuple(wrong)


def _line_objection(base: PayTable, line: str, pays: str) -> str:
    text = base.pays(line)
    if not text:
        return f"{line} is no line of table {base.name}: {', '.join(name for name, _ in base.lines)}"
    if pays == text:
        return ""
    ours, theirs = parse_odds(pays), parse_odds(text)
    if base.at_least and ours is not None and theirs is not None and ours >= theirs:
        return ""
    more = "at least " if base.at_least else ""
    return f"{line} pays {more}{text} in table {base.name}, not {pays}: name the approval (approved) if there is one"
