"""`pitwarden journal blast-radius`: which rounds an incident may have touched."""

import argparse
from contextlib import ExitStack

from pitwarden_client.events.outputs import Irregularity

from pitwarden.audit.evidence import AuditError, judge_evidence, log_evidence
from pitwarden.audit.rounds import Radius, incident_of, radius
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
        parser.add_argument("--deck", metavar="DECK", help="whose counts end the search; else the irregularity's deck")

    def run(self, args: argparse.Namespace) -> int:
        """0 with the rounds."""
        place = place_of(args)
        with ExitStack() as stack:
            log = stack.enter_context(log_evidence(place.log))
            judge = stack.enter_context(judge_evidence(place.judge)) if place.judge.is_file() else None
            if args.row is None and judge is None:
                raise AuditError(f"{place.judge}: is not here, and an irregularity is found in no other file")
            incident, said = args.row, None
            if judge is not None and args.row is None:
                incident, said = incident_of(judge, place.whose, args.ref)
            deck = args.deck or (said.deck if said is not None else None)
            found = radius(place.whose, log, judge, incident, deck)
        for sentence in (*_sentences(found), *of_the_judge(said)):
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


def of_the_judge(said: Irregularity | None) -> list[str]:
    """What the card ledger made of it, where the irregularity is a wrong count: rounds of that deck alone."""
    if said is None or said.blast is None:
        return []
    blast = said.blast
    since = "no right count is known"
    if blast.since is not None:
        since = f"{blast.by} counted it whole on row {blast.since.epoch}/{blast.since.number}"
    dealt = ", ".join(map(str, blast.rounds)) or "none"
    more = f", and {blast.more} before them" if blast.more else ""
    return [f"the judge: deck {said.deck} was dealt in rounds {dealt}{more}; {since}"]


ACTION = BlastAction()
