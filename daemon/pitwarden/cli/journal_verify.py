"""`pitwarden journal verify`: whether the journals are what was committed; if not, what the first bad row proves."""

import argparse
from contextlib import ExitStack
from pathlib import Path

from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.status import LogHead

from pitwarden.audit.evidence import AuditError, judge_evidence, log_evidence
from pitwarden.audit.verify import Report, verify
from pitwarden.cli.journal_place import add_place, place_of

NOT_AS_COMMITTED = 1


class VerifyAction:
    """Verifies."""

    name = "verify"
    help = "check both journals of a table whole: bytes, chains, signatures, and each against the other"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        add_place(parser)
        parser.add_argument(
            "--head", type=Path, metavar="FILE", help="the retained message of the topic `head`, as the broker has it"
        )

    def run(self, args: argparse.Namespace) -> int:
        """0 when all is as committed, 1 with what is not, 78 when nothing can be looked at."""
        place = place_of(args)
        place.need()
        head = _head(args.head) if args.head else None
        with ExitStack() as stack:
            log = stack.enter_context(log_evidence(place.log)) if place.log.is_file() else None
            judge = stack.enter_context(judge_evidence(place.judge)) if place.judge.is_file() else None
            report = verify(place.whose, log, judge, head)
        for sentence in _sentences(
            report, place.whose.key, missing=[p for p in (place.log, place.judge) if not p.is_file()]
        ):
            print(sentence)  # noqa: T201  the command's answer
        return NOT_AS_COMMITTED if report.findings else 0


def _sentences(report: Report, table: str, missing: list[Path]) -> list[str]:
    said = [f"{path}: is not here, so only the other half was looked at" for path in missing]
    said += [str(found) for found in report.findings]
    counted = f"{report.rows} rows in the log, {report.judged} at the judge, {report.outputs} outputs"
    if report.unsigned:
        said.append(
            f"the last {report.unsigned} rows of the log bear no signature yet: the chain alone speaks for them"
        )
    said.append(f"{table}: {'NOT as committed' if report.findings else 'as committed'}; {counted}")
    return said


def _head(path: Path) -> LogHead:
    try:
        return decode(LogHead, path.read_bytes())
    except (OSError, BadPayloadError) as error:
        raise AuditError(f"{path}: is no retained head: {error}") from None


ACTION = VerifyAction()
