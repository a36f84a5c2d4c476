"""`pitwarden journal verify`, `replay` and `blast-radius`.

`verify` checks that the journals are what was committed, and names what the first wrong row proves. `replay` evaluates
the stored rows with this version's rules and compares the outputs with the published ones. `blast-radius` lists the
rounds that an incident may have affected.
"""

import argparse
import asyncio
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from pitwarden.audit.evidence import AuditError, open_judge_evidence, open_log_evidence
from pitwarden.audit.replay import EvidenceRowSource, ReplayDifference, ReplayReport, replay
from pitwarden.audit.rounds import IncidentReach, find_incident, incident_reach
from pitwarden.audit.verify import OutsideWitnesses, VerificationReport, verify_journals
from pitwarden.audit.witnesses import read_witnesses, witness_sentences
from pitwarden.cli.journal_target import add_journal_options, parse_journal_target, parse_position
from pitwarden.cli.table_file import keys_of
from pitwarden.judge.table_judge import TableIdentity, TableJudge
from pitwarden.judge.table_setup import build_table_setup
from pitwarden.judge.unsealing import RowUnsealer
from pitwarden.rules import RULES_VERSION
from pitwarden.seal.keys import derive_audit_key, load_private_keys
from pitwarden.seal.sealing import Opener
from pitwarden_client.events.codec import encode
from pitwarden_client.events.hidden_text import escape_hidden
from pitwarden_client.events.outputs import Irregularity, Output

NOT_AS_COMMITTED = 1


class VerifyAction:
    """The action `verify`."""

    name = "verify"
    help = "check both journals of a table whole: bytes, chains, signatures, and each against the other"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        add_journal_options(parser)
        parser.add_argument(
            "--head", type=Path, metavar="FILE", help="the retained message of the topic `head`, as the broker has it"
        )
        parser.add_argument(
            "--witness", type=Path, action="append", default=[], metavar="FILE",
            help="messages of the topics `head` and `record` that another machine kept, one a line, the oldest first;"
            " may be repeated",
        )  # fmt: skip

    def run(self, args: argparse.Namespace) -> int:
        """Verify, and return 0 when all is as committed, 1 with the findings, 78 when nothing can be read."""
        place = parse_journal_target(args)
        place.need()
        kept = read_witnesses(args.head, args.witness)
        outside = OutsideWitnesses(kept.heads, kept.records, in_place=args.journals is None)
        with ExitStack() as stack:
            log = stack.enter_context(open_log_evidence(place.log)) if place.log.is_file() else None
            judge = stack.enter_context(open_judge_evidence(place.judge)) if place.judge.is_file() else None
            report = verify_journals(place.whose, log, judge, outside)
            witnesses = witness_sentences(place.whose, log, judge, outside)
        missing = [path for path in (place.log, place.judge) if not path.is_file()]
        aside = sorted(place.log.parent.glob(f"{place.log.name}.unsigned-*[0-9]"))
        *findings, verdict = _finding_sentences(report, place.whose.key, missing, aside)
        for sentence in (*findings, *witnesses, verdict):
            print(sentence)  # noqa: T201  the command's answer
        return NOT_AS_COMMITTED if report.findings else 0


def _finding_sentences(report: VerificationReport, table: str, missing: list[Path], kept: list[Path]) -> list[str]:
    said = [f"{path}: is not here, so only the other half was looked at" for path in missing]
    said += [f"{path}: a past that the service set aside, kept as evidence" for path in kept]
    said += [
        f"epoch {opening.epoch} went on from rows without a signature: the version before signed once a second"
        for opening in report.adopted
    ]
    said += [str(found) for found in report.findings]
    counted = f"{report.rows} rows in the log, {report.judged} at the judge, {report.outputs} outputs"
    if report.unsigned:
        said.append(
            f"the last {report.unsigned} rows of the log bear no signature yet: the chain alone speaks for them"
        )
    said.append(f"{table}: {'NOT as committed' if report.findings else 'as committed'}; {counted}")
    return said


VERIFY_ACTION = VerifyAction()


DIFFERS = 1
SHOWN = 20


class JournalReplayAction:
    """The action `replay`."""

    name = "replay"
    help = "judge the stored rows again: the same rules give the same bytes, other rules show what differs"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        add_journal_options(parser)

    def run(self, args: argparse.Namespace) -> int:
        """Replay, and return 0 when all is as published, 1 with the differences.

        The action needs the judge's private key, and writes nothing.
        """
        place = parse_journal_target(args)
        file, whose = place.file, place.whose
        private = load_private_keys(keys_of(file).judge)
        trusted = tuple(whose.trusted)
        with open_judge_evidence(place.judge) as evidence:
            opener = Opener(private, trusted, whose.site, whose.table)
            judge = TableJudge(
                TableIdentity(whose.site, whose.table, file.judge.name),
                replace(build_table_setup(file), audit_key=derive_audit_key(private[0])),
                RowUnsealer(opener, trusted, whose.site, whose.table),
                EvidenceRowSource(evidence),
            )
            found = asyncio.run(replay(judge, evidence))
        for sentence in [*_differences(found.differences), _summary(found)]:
            print(sentence)  # noqa: T201  the command's answer
        return DIFFERS if found.differences or (found.other_bytes and found.versions == {RULES_VERSION}) else 0


def _differences(differences: list[ReplayDifference]) -> list[str]:
    said = []
    for each in differences[:SHOWN]:
        said.append(f"row {each.at.epoch}/{each.at.number}")
        said += [f"  published: {_shown(output)}" for output in each.published if output not in each.now]
        said += [f"  now:       {_shown(output)}" for output in each.now if output not in each.published]
    left = len(differences) - SHOWN
    return [*said, f"and {left} rows more"] if left > 0 else said


def _shown(output: Output) -> str:
    return escape_hidden(encode(output).decode())


def _summary(found: ReplayReport) -> str:
    published = ", ".join(sorted(found.versions)) or "none"
    return (
        f"{found.rows} rows judged by rules {RULES_VERSION} (published by {published}): {found.identical} outputs are"
        f" identical byte for byte, {found.other_bytes} say the same in other bytes,"
        f" {found.other_words} rows differ in words alone,"
        f" {len(found.differences)} rows are judged otherwise"
    )


REPLAY_ACTION = JournalReplayAction()


class BlastAction:
    """The action `blast-radius`."""

    name = "blast-radius"
    help = "every round between an incident and the last count of the cards that was right"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        add_journal_options(parser)
        one = parser.add_mutually_exclusive_group(required=True)
        one.add_argument("--row", type=parse_position, metavar="EPOCH/NUMBER", help="the row on which it came out")
        one.add_argument("--ref", metavar="REF", help="the irregularity, as `ref` in the judge's outputs")
        parser.add_argument("--deck", metavar="DECK", help="whose counts end the search; else the irregularity's deck")

    def run(self, args: argparse.Namespace) -> int:
        """Print the rounds, and return 0."""
        place = parse_journal_target(args)
        with ExitStack() as stack:
            log = stack.enter_context(open_log_evidence(place.log))
            judge = stack.enter_context(open_judge_evidence(place.judge)) if place.judge.is_file() else None
            if args.row is None and judge is None:
                raise AuditError(f"{place.judge}: is not here, and an irregularity is found in no other file")
            incident, said = args.row, None
            if judge is not None and args.row is None:
                incident, said = find_incident(judge, place.whose, args.ref)
            deck = args.deck or (said.deck if said is not None else None)
            found = incident_reach(place.whose, log, judge, incident, deck)
        for sentence in (*_reach_sentences(found), *of_the_judge(said)):
            print(sentence)  # noqa: T201  the command's answer
        return 0


def _reach_sentences(found: IncidentReach) -> list[str]:
    since = "the oldest row kept" if found.since is None else f"row {found.since.epoch}/{found.since.number}"
    said = [f"since {since} ({found.how}), up to row {found.incident.epoch}/{found.incident.number}:"]
    for each in found.rounds:
        first, last = each.rows[0].at, each.rows[-1].at
        times = f"{each.events[0].time} to {each.events[-1].time}"
        said.append(f"  round {each.number}: rows {first.epoch}/{first.number} to {last.epoch}/{last.number}, {times}")
    return [*said, f"{len(found.rounds)} rounds"]


def of_the_judge(said: Irregularity | None) -> list[str]:
    """Return the card ledger's finding as sentences, for an irregularity that is a wrong count of a deck."""
    if said is None or said.blast is None:
        return []
    blast = said.blast
    since = "no right count is known"
    if blast.since is not None:
        since = f"{blast.by} counted it whole on row {blast.since.epoch}/{blast.since.number}"
    dealt = ", ".join(map(str, blast.rounds)) or "none"
    more = f", and {blast.more} before them" if blast.more else ""
    return [f"the judge: deck {said.deck} was dealt in rounds {dealt}{more}; {since}"]


BLAST_RADIUS_ACTION = BlastAction()
