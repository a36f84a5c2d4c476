"""Coverage of the clauses by the code, and by a table.

What decides and what reads a row is made of the declarations of checks and modules; nothing is listed here. Whether a
table monitors a clause depends on its keyed inputs, its devices, and what the house attests (`[inputs]`).
"""

from pitwarden.rules.engine.check_catalogue import CHECKS
from pitwarden.rules.profile.clauses import Clause
from pitwarden.rules.profile.declared_reads import declarations
from pitwarden.rules.profile.profile import ClauseRule, GameProfile
from pitwarden.rules.setup.table_setup import TableSetup


def deciding_rules(profile: GameProfile, clause: Clause) -> tuple[ClauseRule, ...]:
    """Return the rows of the profile that decide the clause: those with its number, and those that it names."""
    return tuple(rule for rule in profile.rules if rule.clause == clause.ident or rule.key in clause.rows)


def rule_deciders(rule: ClauseRule) -> tuple[str, ...]:
    """Return the checks that find something under the row, then the modules that act under it.

    A module acts under a row when it refuses an input, notifies, asks for a duty or announces an outcome under it.
    """
    checks = (one.id for one in CHECKS if rule.key in one.rules)
    return (*checks, *(one.module for one in declarations() if rule.key in one.decides or one.is_named_by(rule)))


def rule_readers(rule: ClauseRule) -> tuple[str, ...]:
    """Return the checks and modules that use the row without acting under it."""
    checks = (one.id for one in CHECKS if rule.key in one.reads)
    return (*checks, *(one.module for one in declarations() if rule.key in one.reads))


def monitoring_status(setup: TableSetup, clause: Clause) -> str:
    """Return `monitored`, `attested ...`, or `not monitored: ` with the reason."""
    if clause.device and not any(device.kind == clause.device for device in setup.devices):
        return f"not monitored: no {clause.device} at this table"
    rules = deciding_rules(setup.profile, clause)
    if "H" in clause.kind:
        return _attested(setup, clause)
    if not rules:
        return "not monitored: it has no check in this game"
    open_rules = [rule for rule in rules if setup.keyed(rule.needs)]
    if not open_rules:
        return f"not monitored: {', '.join(_unkeyed(setup, rules))} not keyed here"
    blind = [rule for rule in rules if rule not in open_rules]
    return "monitored" + (f", but not {', '.join(_unkeyed(setup, tuple(blind)))}" if blind else "")


def _unkeyed(setup: TableSetup, rules: tuple[ClauseRule, ...]) -> list[str]:
    return sorted({act for rule in rules for act in rule.needs if not setup.keyed((act,))})


def _attested(setup: TableSetup, clause: Clause) -> str:
    if setup.attested is None:
        return "not monitored: no attestations are kept in the table file"
    made = next((one for one in setup.attested if one.clause == clause.ident), None)
    if made is not None:
        return f"attested by {made.by} on {made.on}" + (f" ({made.reference})" if made.reference else "")
    return "not attested" + (", and the text asks for it before play" if clause.attested else "")
