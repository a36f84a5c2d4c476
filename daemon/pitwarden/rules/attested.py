"""What the house has to attest before play, since no device senses it: refused at start where it is missing."""

from collections.abc import Iterator
from datetime import date

from pitwarden.rules.profile.clauses import COMMON, Clause, of_game
from pitwarden.rules.setup import Policy, TableSetup
from pitwarden.rules.unfit import Unfit


def required(setup: TableSetup) -> tuple[Clause, ...]:
    """The clauses whose text asks for something before play at this table."""
    return tuple(
        clause
        for clause in of_game(setup.profile.game)
        if clause.attested
        and (clause.game != COMMON or setup.profile.total)  # 13:69E-1.17 to 1.19 are about cards and what holds them
        and (not clause.games or setup.profile.game in clause.games)
        and (not clause.device or any(device.kind == clause.device for device in setup.devices))
        and (not clause.switches or any(_used(setup, switch) for switch in clause.switches))
    )


def unattested(setup: TableSetup) -> Iterator[Unfit]:
    """Attestations that are missing, or that no clause of this game asks for; none where nobody asks."""
    if setup.attested is None:
        return
    made = {one.clause for one in setup.attested}
    for clause in required(setup):
        if clause.ident not in made:
            reason = f"is missing, and the text asks for it before play: {clause.about}; say by whom and on which day"
            yield Unfit(("attestations", clause.ident), clause.ident, (clause.cite,), reason)
    known = {clause.ident for clause in of_game(setup.profile.game) if "H" in clause.kind}
    for one in setup.attested:
        if one.clause not in known:
            reason = f"{setup.profile.title} has no clause of this number that a house attests"
            yield Unfit(("attestations", one.clause), "PW-SETUP", (), reason)


def not_yet(setup: TableSetup, today: date) -> Iterator[Unfit]:
    """Attestations dated after `today`."""
    for one in setup.attested or ():
        if date.fromisoformat(one.on) > today:
            cites = tuple(clause.cite for clause in of_game(setup.profile.game) if clause.ident == one.clause)
            reason = f"it is attested on {one.on}, which is yet to come"
            yield Unfit(("attestations", one.clause, "on"), one.clause, cites, reason)


def _used(setup: TableSetup, switch: str) -> bool:
    return bool(getattr(setup.policy, switch) != getattr(Policy(), switch))
