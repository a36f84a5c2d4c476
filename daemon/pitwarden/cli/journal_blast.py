"""`pitwarden journal blast-radius`: which rounds an incident may have touched."""

import argparse
from contextlib import ExitStack

from pitwarden.audit.blast import Radius, cause_of, radius
from pitwarden.audit.reading import AuditError, judge_evidence, log_evidence
from pitwarden.cli.journal_place import add_place, place_of, position


class BlastAction:
    """Lists the rounds since the last verified count."""

    name = "blast-radius"
    help = "every round between an incident and the last count of the cards that was right"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        add_place(parser)
        one = parser.add_mutually_exclusive_group(required=True)
        one.add_argument("--row", type=position, metavar="EPOCH/NUMBER", help="the row on which it came out")
        one.add_argument("--ref", metavar="REF", help="the irregularity, as `ref` in the judge's outputs")

    def run(self, args: argparse.Namespace) -> int:
        """0 with the rounds."""
        place = place_of(args)
        with ExitStack() as stack:
            log = stack.enter_context(log_evidence(place.log))
            judge = stack.enter_context(judge_evidence(place.judge)) if place.judge.is_file() else None
            if args.row is None and judge is None:
                raise AuditError(f"{place.judge}: is not here, and an irregularity is found in no other file")
            incident = args.row if judge is None or args.row is not None else cause_of(judge, place.whose, args.ref)
            found = radius(place.whose, log, judge, incident)
        for sentence in _sentences(found):
            print(sentence)  # noqa: T201  the command's answer
        return 0


def _sentences(found: Radius) -> list[str]:
    since = "the oldest row kept" if found.since is None else f"row {found.since.epoch}/{found.since.number}"
    said = [f"since {since} ({found.how}), up to row {found.incident.epoch}/{found.incident.number}:"]
    for each in found.rounds:
        first, last = each.rows[0].at, each.rows[-1].at
        times = f"{each.events[0].time} to {each.events[-1].time}"
        said.append(f"  round {each.number}: rows {first.epoch}/{first.number} to {last.epoch}/{last.number}, {times}")
    return [*said, f"{len(found.rounds)} rounds"]


ACTION = BlastAction()
