"""The games that a scenario may name: every profile, by its short name, and the usual table of each."""

from dataclasses import dataclass
from functools import lru_cache

from pitwarden.rules.profile.loading import NAMES, load_profile, usual_decks


@dataclass(frozen=True, slots=True)
class Usual:
    """What a scenario's table is when its header does not say."""

    profile: str
    positions: int
    decks: int
    automated: bool


@lru_cache(maxsize=1)
def games() -> dict[str, Usual]:
    """Short name -> the usual table."""
    made: dict[str, Usual] = {}
    for name in NAMES:
        profile = load_profile(name, usual_decks(name))
        made[profile.game] = Usual(name, max(profile.positions), profile.copies, profile.in_stacks)
    return made
