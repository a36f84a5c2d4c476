"""Which rows of a profile decide a clause, and what reads each row: checks, moves, duties."""

from pitwarden.rules.catalogue import CHECKS
from pitwarden.rules.profile.clauses import Clause
from pitwarden.rules.profile.profile import Profile, Rule
from pitwarden.rules.upheld import UPHELD


def deciding(profile: Profile, clause: Clause) -> tuple[Rule, ...]:
    """The rows of `profile` that decide `clause`."""
    return tuple(rule for rule in profile.rules if rule.clause == clause.ident or rule.key in clause.rows)


def upheld_by(rule: Rule) -> tuple[str, ...]:
    """What reads the row: checks by their name, then the moves and duties that act on it."""
    checks = (one.id for one in CHECKS if rule.key in one.rules)
    return (*checks, *(name for name, keys in UPHELD if rule.key in keys))
