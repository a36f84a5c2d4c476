"""Requirements on the set-up of a table; a table that does not meet them is refused at start.

- Attestations: what the house must attest before play, since no device senses it.
- Placement: the sides of shoe, shuffler and discard rack, and the ranks that a reader may read (G-12, G-06).
- Pay tables, limits and the draw rule: those of the texts, and posted (G-14, IB-07).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from pitwarden.rules.profile.clauses import COMMON, Clause
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.pay_tables import pay_table_problems
from pitwarden.rules.setup.table_setup import MARKED, DeviceSetup, HousePolicy, Side, TableSetup

ROWS: Final = declared(__name__, reads=("bettors", "dealer_draws"))


@dataclass(frozen=True, slots=True)
class SetupProblem:
    """One reason why the rules do not allow a table as it is set up."""

    key: tuple[str, ...]
    """Path of the key in the table file, such as `("devices", "shoe", "side")`."""
    clause: str
    """Catalog number of the clause; `PW-SETUP` where no clause, but this program, is the reason."""
    cites: tuple[str, ...]
    reason: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.clause}: {', '.join(self.cites)})"


def required_attestations(setup: TableSetup) -> tuple[Clause, ...]:
    """Return the clauses that require the house to do something before play at this table."""
    return tuple(
        clause
        for clause in setup.profile.catalogue()
        if clause.attested
        # 13:69E-1.17 to 1.19 are about cards and the devices that hold them: a game without cards needs none of them.
        and (clause.game != COMMON or setup.profile.total)
        and (not clause.games or setup.profile.game in clause.games)
        and (not clause.device or any(device.kind == clause.device for device in setup.devices))
        and (not clause.switches or any(_used(setup, switch) for switch in clause.switches))
    )


def missing_attestations(setup: TableSetup) -> Iterator[SetupProblem]:
    """Yield attestations that are missing, or that no clause of this game requires; none in a scenario without any."""
    if setup.attested is None:
        return
    made = {one.clause for one in setup.attested}
    for clause in required_attestations(setup):
        if clause.ident not in made:
            reason = f"is missing, and the text asks for it before play: {clause.about}; say by whom and on which day"
            yield SetupProblem(("attestations", clause.ident), clause.ident, (clause.cite,), reason)
    known = {clause.ident for clause in setup.profile.catalogue() if "H" in clause.kind}
    for one in setup.attested:
        if one.clause not in known:
            reason = f"{setup.profile.title} has no clause of this number that a house attests"
            yield SetupProblem(("attestations", one.clause), "PW-SETUP", (), reason)


def future_attestations(setup: TableSetup, today: date) -> Iterator[SetupProblem]:
    """Yield attestations that are dated after `today`."""
    for one in setup.attested or ():
        if date.fromisoformat(one.on) > today:
            cites = tuple(clause.cite for clause in setup.profile.catalogue() if clause.ident == one.clause)
            reason = f"it is attested on {one.on}, which is yet to come"
            yield SetupProblem(("attestations", one.clause, "on"), one.clause, cites, reason)


def _used(setup: TableSetup, switch: str) -> bool:
    return bool(getattr(setup.policy, switch) != getattr(HousePolicy(), switch))


_RACK: Final[dict[Side, Side]] = {"left": "right", "right": "left"}


def placement_problems(setup: TableSetup) -> Iterator[SetupProblem]:
    """Yield devices on the wrong side, and ranks that a reader must not read.

    A side that the table file does not state is not judged.
    """
    for device in setup.devices:
        key = ("devices", device.ident)
        if device.kind == "reader" and not set(device.ranks) <= set(MARKED):
            more = ", ".join(rank for rank in device.ranks if rank not in MARKED)
            reason = f"only A, K, Q, J and 10 may bear a mark for a reader, and {device.ident} reads {more}"
            yield SetupProblem((*key, "ranks"), "G-06", ("13:69E-1.17(c)",), reason)
        if device.kind != "reader" and device.side is not None:
            yield from _side(setup, device, device.side)
    shoe = setup.device("shoe")
    if setup.rack == "left" and shoe is not None and not shoe.automated:
        reason = "the discard rack is at the dealer's right where a manual shoe is used"
        yield SetupProblem(("table", "rack"), "G-12", ("13:69E-1.19(h)",), reason)


def _side(setup: TableSetup, device: DeviceSetup, side: Side) -> Iterator[SetupProblem]:
    key, left = ("devices", device.ident, "side"), setup.profile.needs.shoe_left
    if device.kind == "shoe" and side == "right" and (left or not device.automated):
        cites = ("13:69E-1.19(h)", *((left,) if left else ()))
        yield SetupProblem(key, "G-12", cites, f"{device.ident} is at the dealer's left")
    # 1.19(h): shoe and shuffler are on the side opposite the discard rack; a side that is not stated contradicts
    # nothing.
    elif setup.rack is not None and side != _RACK[setup.rack]:
        yield SetupProblem(key, "G-12", ("13:69E-1.19(h)",), f"{device.ident} is on the side opposite the discard rack")


_POSTED: Final = ("13:69E-1.13V(c), (d)", "13:69E-1.13BB(c), (d)", "13:69E-1.10D(b), (c)", "19:46-1.10(r)")
_SOFT_STAND: Final = 17


def pay_problems(setup: TableSetup) -> Iterator[SetupProblem]:
    """Yield every problem of the configured pay tables, draw rule and number of bettors."""
    seen: set[str] = set()
    for choice in setup.pay:
        key = ("pay", choice.wager)
        if choice.wager in seen:
            yield SetupProblem(key, "G-14", _POSTED, f"{choice.wager} has one pay table, and two are configured")
        seen.add(choice.wager)
        # The table file names the wager, and thereby the row: any row may be read here.
        rule = setup.profile.rule(choice.wager)
        clause = (
            "IB-07" if any(table.at_least for table in setup.profile.pay if table.wager == choice.wager) else "G-14"
        )
        for reason in pay_table_problems(setup.profile.pay, choice):
            yield SetupProblem(key, clause, rule.cites if rule is not None else _POSTED, reason)
        if choice.minimum is not None and choice.maximum is not None and choice.minimum > choice.maximum:
            yield SetupProblem(key, "G-14", _POSTED, "the posted minimum is above the maximum")
    yield from _draw(setup)
    most = ROWS.of(setup.profile, "bettors")
    if setup.policy.bettors and (most is None or setup.policy.bettors > most.number("most")):
        clause, cites = (most.clause, most.cites) if most is not None else ("PW-SETUP", ())
        reason = f"at most {most.number('most')} may wager on a box" if most is not None else "no text of ours says so"
        yield SetupProblem(("rules", "bettors"), clause, cites, reason)
    if setup.policy.both_blackjacks == "paid" and not _has_line(setup, "both_blackjacks"):
        yield SetupProblem(("rules", "both_blackjacks"), "PW-SETUP", (), f"{setup.profile.title} has no such switch")


def _draw(setup: TableSetup) -> Iterator[SetupProblem]:
    rule, said = ROWS.of(setup.profile, "dealer_draws"), setup.policy.draw
    if not said:
        return
    if rule is None:
        yield SetupProblem(("rules", "draw"), "PW-SETUP", (), f"our sources have no draw rule of {setup.profile.title}")
    elif said != ("S17" if rule.number("soft") == _SOFT_STAND else "H17"):
        reason = f"the layout of {setup.profile.title} does not say {said}"
        yield SetupProblem(("rules", "draw"), "G-14", (*rule.cites, *_POSTED), reason)


def _has_line(setup: TableSetup, line: str) -> bool:
    return any(table.pays(line) for table in setup.profile.pay)
