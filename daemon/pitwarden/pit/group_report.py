"""Membership in a group of judges as the status line, the metrics and the watchdog show it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pitwarden.metrics.families import GROUP_CLAIMS, GROUP_LEASE, GROUP_TABLES
from pitwarden.metrics.meter import Sample
from pitwarden.system.tasks import Probe

if TYPE_CHECKING:
    from pitwarden.judge_group.group import JudgeGroup

_NAMED: Final = 3
SLOWEST_S: Final = 20.0
"""Longest turn of a member's loop: each of eight servers that do not answer takes two seconds."""


def group_line(group: "JudgeGroup") -> str:
    """Return one line for a person: this member, its lease, who else is a member, and which tables have no owner."""
    member, counts = group.member, group.member.counts
    lease = "lease held" if member.lease_s() else "NO LEASE: the database is not reached"
    none = counts.ownerless
    more = f" and {len(none) - _NAMED} more" if len(none) > _NAMED else ""
    without = f"; WITHOUT AN OWNER: {', '.join(none[:_NAMED])}{more}" if none else ""
    return f"member {member.name} of {', '.join(counts.members) or 'a group'}, {lease}{without}"


def group_samples(group: "JudgeGroup") -> Iterator[Sample]:
    """Yield who owns the tables of this member's files, and how long its lease lasts."""
    counts = group.member.counts
    yield Sample(GROUP_TABLES, counts.own, ("own",))
    yield Sample(GROUP_TABLES, counts.elsewhere, ("other",))
    yield Sample(GROUP_TABLES, len(counts.ownerless), ("none",))
    yield Sample(GROUP_LEASE, group.member.lease_s())
    yield Sample(GROUP_CLAIMS, group.member.takeovers)


def group_probe(group: "JudgeGroup") -> Probe:
    """Return the watchdog's probe of the member's loops."""
    return Probe("judge group", lambda: group.member.progress, lambda: None, SLOWEST_S)
