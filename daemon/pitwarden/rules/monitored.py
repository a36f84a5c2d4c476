"""Whether a table watches a clause: what it keys, which devices it has, what the house attests (`[inputs]`)."""

from pitwarden.rules.deciding import deciding
from pitwarden.rules.profile.clauses import Clause
from pitwarden.rules.profile.profile import Rule
from pitwarden.rules.setup.table_setup import TableSetup


def watch_of(setup: TableSetup, clause: Clause) -> str:
    """`monitored`, `attested ...`, or `not monitored: ` with the reason."""
    if clause.device and not any(device.kind == clause.device for device in setup.devices):
        return f"not monitored: no {clause.device} at this table"
    rules = deciding(setup.profile, clause)
    if "H" in clause.kind:
        return _attested(setup, clause)
    if not rules:
        return "not monitored: it has no check in this game"
    open_rules = [rule for rule in rules if setup.keyed(rule.needs)]
    if not open_rules:
        return f"not monitored: {', '.join(_unkeyed(setup, rules))} not keyed here"
    blind = [rule for rule in rules if rule not in open_rules]
    return "monitored" + (f", but not {', '.join(_unkeyed(setup, tuple(blind)))}" if blind else "")


def _unkeyed(setup: TableSetup, rules: tuple[Rule, ...]) -> list[str]:
    return sorted({act for rule in rules for act in rule.needs if not setup.keyed((act,))})


def _attested(setup: TableSetup, clause: Clause) -> str:
    if setup.attested is None:
        return "not monitored: no attestations are kept in the table file"
    made = next((one for one in setup.attested if one.clause == clause.ident), None)
    if made is not None:
        return f"attested by {made.by} on {made.on}" + (f" ({made.reference})" if made.reference else "")
    return "not attested" + (", and the text asks for it before play" if clause.attested else "")
