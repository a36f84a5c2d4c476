"""Which checks a row needs: those of its game that are listed for its kind, its act or one of its signs."""

from functools import lru_cache

from pitwarden_client.events.inputs import InputLogged

from pitwarden.rules.catalogue import (
    ANY,
    BEGINS,
    CARD,
    CHECKS,
    FIRST,
    FOUND,
    FURTHER,
    IMBALANCE,
    REVEAL,
    UNREADABLE,
    Listed,
)
from pitwarden.rules.checks.context import Seen
from pitwarden.rules.profile.profile import Profile
from pitwarden.rules.queries.layout import missing
from pitwarden.rules.transitions import draws


@lru_cache(maxsize=4096)
def due(profile: Profile, words: tuple[str, ...]) -> tuple[Listed, ...]:
    """The checks of a game that may find something on a row with these words, in the catalogue's order."""
    rows = {rule.key for rule in profile.rules}
    return tuple(one for one in CHECKS if not rows.isdisjoint(one.rules) and not {ANY, *words}.isdisjoint(one.on))


def words_of(seen: Seen) -> tuple[str, ...]:
    """What `due` needs of a row: its kind or act, then its signs."""
    data, now = seen.entry.data, seen.after.now
    words: list[str] = [data.act.act if isinstance(data, InputLogged) else data.kind]
    if CARD in now.tokens:
        words.append(CARD)
        if now.fate in draws.FOUND:
            words.append(FOUND)
        if missing(seen.before.setup, seen.before.round) == 0:
            words.append(FURTHER)
    if now.first:
        words.append(FIRST)
    if seen.begins:
        words.append(BEGINS)
    if now.reveals:
        words.append(REVEAL)
    if seen.entry.unreadable:
        words.append(UNREADABLE)
    if now.imbalances:
        words.append(IMBALANCE)
    return tuple(words)
