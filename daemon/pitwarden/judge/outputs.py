"""Chain of a judge's outputs: numbered without gaps, each with the hash of the previous one; and their log lines."""

from collections.abc import Iterable
from dataclasses import dataclass

import structlog

from pitwarden.judge.unsealing import SealedRowParts
from pitwarden.rules.state.entry import AnswerDue, RevealDue
from pitwarden.seal.sealing import OpenedSecret
from pitwarden_client.events.card_faces import face_name
from pitwarden_client.events.codec import digest, encode
from pitwarden_client.events.envelope import GENESIS, LogEvent, OutputEvent
from pitwarden_client.events.outputs import CheckFailed, Duty, Irregularity, Output, ReaderRevealed, Reveal


@dataclass(frozen=True, slots=True)
class ChainedOutput:
    """Output as it will be stored and published, byte for byte."""

    event: OutputEvent
    payload: bytes
    hash: str


class OutputChain:
    """Chain of the outputs of one table, under one rules version and one profile digest.

    `last` and `prevhash` come from the journal after a restart.
    """

    def __init__(
        self, source: str, rules_version: str, profile: str, *, last: int = 0, prevhash: str = GENESIS
    ) -> None:
        self._source = source
        self._rules_version, self._profile = rules_version, profile
        self.last = last
        self.prevhash = prevhash

    def append(self, row: LogEvent, outputs: Iterable[Output]) -> tuple[ChainedOutput, ...]:
        """Append the outputs that `row` caused, in their order; return them as chained."""
        return tuple([self._one(row, index, data) for index, data in enumerate(outputs)])

    def _one(self, row: LogEvent, index: int, data: Output) -> ChainedOutput:
        event = OutputEvent(
            id=f"{row.id}/{index}",
            source=self._source,
            type=f"pitwarden.{data.kind}",
            time=row.time,
            epoch=row.epoch,
            prevhash=self.prevhash,
            simulated=row.simulated,
            gamingday=row.gamingday,
            tableseq=row.tableseq,
            index=index,
            outputseq=self.last + 1,
            logms=row.logms,
            rulesversion=self._rules_version,
            profiledigest=self._profile,
            data=data,
        )
        payload = encode(event)
        self.last += 1
        self.prevhash = digest(payload)
        return ChainedOutput(event, payload, self.prevhash)


def as_published(now: tuple[Output, ...], stored: tuple[Output, ...]) -> tuple[Output, ...]:
    """Return `now` without the fields that the judge of the `stored` outputs did not publish yet.

    A field that a minor version of the contract adds is no other verdict: a journal from before it must neither raise
    `rules_diverged` nor show as different when it is judged again.
    """
    if len(now) != len(stored):
        return now
    return tuple(_as_published(one, old) for one, old in zip(now, stored, strict=True))


def _as_published(now: Output, old: Output) -> Output:
    if isinstance(now, Irregularity) and isinstance(old, Irregularity) and not old.clears_facts:
        return now.model_copy(update={"clears_facts": ()})
    return now


def seal_index(due: RevealDue | AnswerDue) -> int:
    """Return the index of the seal, in its row, that holds what is due."""
    return due.index if isinstance(due, RevealDue) else 0


def build_reveal(due: RevealDue | AnswerDue, row: SealedRowParts, opened: OpenedSecret) -> Reveal | ReaderRevealed:
    """Return the reveal of a public secret of `row`, with its blind, so that anyone can check the commitment."""
    commitment = row.seals[seal_index(due)].commitment
    if isinstance(due, AnswerDue):
        return ReaderRevealed(
            epoch=due.epoch,
            event=due.event,
            blackjack=due.bit,
            blind=opened.blind,
            commitment=commitment,
        )
    return Reveal(
        epoch=due.epoch,
        event=due.event,
        index=due.index,
        slot=due.slot,
        face=face_name(due.face),
        blind=opened.blind,
        commitment=commitment,
    )


_log = structlog.get_logger()


def log_output_change(table: str, output: Output) -> None:
    """Write the log line of a committed output, if it is a change. Cards and answers are never logged here."""
    match output:
        case Irregularity(status=status):
            write = _log.warning if status == "open" else _log.info
            write(
                "irregularity", table=table, ref=output.ref, status=status, catalogue=output.catalogue,
                clauses=", ".join(output.clauses), verdicts=" ".join(output.verdicts), by=output.by or "",
            )  # fmt: skip
        case Duty(status=status):
            write = _log.warning if status == "overdue" else _log.info
            write("duty", table=table, ref=output.ref, status=status, duty=output.duty, subject=output.subject)
        case CheckFailed(check=check, error=error):
            _log.error("check failed", table=table, check=check, error=error)
        case _:
            return
