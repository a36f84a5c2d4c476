"""Decision which tables a member claims, and which it gives back. Pure.

Members are peers when they may judge the same tables by the same rules. A peer claims up to its share of the tables.
A table without an owner for a while is claimed above the share too: it must not wait for a member that is
stopping, or whose tables are others.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pitwarden.journal.database import is_newer, release_of

OVERDUE_S: Final = 2.0
"""Time without an owner after which a table is claimed above the share."""


@dataclass(frozen=True, slots=True)
class PlaceFacts:
    """One table in the database: who owns it, and by what it was last judged and signed. Empty for never."""

    table: str
    term: int
    run: str
    has_owner: bool
    owner: str
    rules: str
    version: str
    signer: str


@dataclass(frozen=True, slots=True)
class JudgeFacts:
    """Versions of a member. `takes_older`: it may take over what older rules judged last."""

    rules: str
    version: str
    takes_older: bool


def refusal(place: PlaceFacts, judge: JudgeFacts, signers: Collection[str]) -> str:
    """Return why this member must not claim the table; empty when it may.

    Args:
        place: The table.
        judge: Rules of this member.
        signers: Public keys that this member's judge of the table signs with, or has signed with.
    """
    if place.signer and place.signer not in signers:
        return "its record is signed with a key that this member does not have"
    if is_newer(place.version):
        return f"pitwarden {place.version} judged it last, which is newer than this member's"
    if place.rules in ("", judge.rules):
        return ""
    if release_of(place.rules) > release_of(judge.rules):
        return f"rules {place.rules} judged it last, which are newer than this member's"
    if judge.takes_older:
        return ""
    return f"rules {place.rules} judged it last, and this member has takes_older_rules = false"


def share_of(tables: int, peers: int) -> int:
    """Return how many of `tables` each of `peers` members owns at most, while all are owned."""
    return -(-tables // max(1, peers))


def in_turn(free: Sequence[str], rank: int, peers: int) -> list[str]:
    """Return `free` in the order in which the member at `rank` of `peers` claims them.

    Members that claim at the same time begin with different tables. Else each would claim the first ones, and all but
    one of them nothing.
    """
    own = free[rank % peers :: peers]
    return [*own, *(table for at, table in enumerate(free) if at % peers != rank % peers)]


def tables_to_claim(free: Sequence[str], owned: int, share: int, overdue: Collection[str]) -> list[str]:
    """Return the tables to claim now, of those in `free` without an owner."""
    late = [table for table in free if table in overdue]
    others = [table for table in free if table not in overdue]
    return late + others[: max(0, share - owned - len(late))]


def has_excess(owned: int, peers: Iterable[int]) -> bool:
    """Return whether a member with `owned` tables gives one back: another of its peers owns at least two fewer."""
    return owned - min(peers, default=owned) > 1
