"""Export of journals as JSON lines or CSV, and the evidence pack of one round.

The pack holds rows, outputs, reveals with their commitments checked, hashes and the state of the clock. Rows and
outputs are the very bytes that were committed; `SHA256SUMS` covers every file. A recipient can verify the folder with
the table's verify key and without pitwarden.
"""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final, Literal

from pitwarden.audit.chains import AuditScope
from pitwarden.audit.evidence import AuditError, EvidenceRow, JudgeEvidence, LogEvidence
from pitwarden.audit.rounds import RoundRows, parse_evidence_row, split_rounds
from pitwarden.journal.records import StoredOutput
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode, encode
from pitwarden_client.events.device import ReaderResult, ShoeCard, ShoeStack
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.outputs import Irregularity, Notice, ReaderRevealed, Reveal
from pitwarden_client.verification.commitment import verify_reveal

COLUMNS: Final = (
    "epoch", "number", "hash", "prevhash", "time", "clocksync", "clockerror", "logms", "source", "type", "simulated",
    "data", "gamingday",
)  # fmt: skip
OUTPUT_COLUMNS: Final = ("seq", "epoch", "number", "index", "hash", "topic", "body", "gamingday")


def rows_of_day(rows: Iterable[EvidenceRow], day: date) -> Iterator[EvidenceRow]:
    """Yield the rows of one gaming day. A row that cannot be read is of the same day as the row before it."""
    found: date | None = None
    for row in rows:
        event = parse_evidence_row(row.body)
        found = found if event is None else event.gamingday
        if found == day:
            yield row


def outputs_of_day(outputs: Iterable[StoredOutput], day: date) -> Iterator[StoredOutput]:
    """Yield the outputs of one gaming day."""
    return (output for output in outputs if decode(OutputEvent, output.body).gamingday == day)


def export_log(rows: Iterable[EvidenceRow], form: Literal["jsonl", "csv"]) -> Iterator[str]:
    """Yield the rows of a log as lines.

    A row that cannot be read has empty columns in CSV; in JSON lines its undecodable bytes are escaped.
    """
    if form == "jsonl":
        yield from (row.body.decode(errors="backslashreplace") for row in rows)
        return
    yield _line(COLUMNS)
    for row in rows:
        event = parse_evidence_row(row.body)
        if event is None:
            yield _line((row.at.epoch, row.at.number, row.hash, *[""] * (len(COLUMNS) - 3)))
            continue
        yield _line(
            (
                event.epoch, event.tableseq, row.hash, event.prevhash, event.time, event.clocksync, event.clockerror,
                event.logms, event.source, event.type, event.simulated, encode(event.data).decode(),
                _day(event),
            )
        )  # fmt: skip


def export_outputs(outputs: Iterable[StoredOutput], form: Literal["jsonl", "csv"]) -> Iterator[str]:
    """Yield the outputs of a judge as lines."""
    if form == "jsonl":
        yield from (output.body.decode(errors="backslashreplace") for output in outputs)
        return
    yield _line(OUTPUT_COLUMNS)
    for out in outputs:
        body = out.body.decode(errors="backslashreplace")
        day = _day(decode(OutputEvent, out.body))
        yield _line((out.seq, out.cause.epoch, out.cause.number, out.index, out.hash, out.topic, body, day))


def _day(event: LogEvent | OutputEvent) -> str:
    """Return the gaming day, empty in what is older than the field."""
    return "" if event.gamingday is None else event.gamingday.isoformat()


def _line(values: Iterable[object]) -> str:
    made = io.StringIO()
    csv.writer(made, lineterminator="").writerow(values)
    return made.getvalue()


NEWEST: Final = -1


@dataclass(frozen=True, slots=True)
class EvidencePack:
    """Content of a pack.

    `unproved` counts reveals whose commitment does not match, or whose row is not in this round.
    """

    rows: int
    outputs: int
    reveals: int
    unproved: int


def find_round(log: LogEvidence, number: int, at: Position | None = None) -> RoundRows:
    """Return round `number` (NEWEST: the last), or the round of row `at`.

    Raises:
        AuditError: There is no such round or row.
    """
    found: RoundRows | None = None
    for stretch in split_rounds(log.rows()):
        if at is None and stretch.number == number:
            return stretch
        if at is not None and stretch.holds(at):
            return stretch
        found = stretch
    if at is None and number == NEWEST and found is not None:
        return found
    what = f"round {number}" if at is None else f"row {at.epoch}/{at.number}"
    raise AuditError(f"{log.path}: holds no {what}; its last round is {0 if found is None else found.number}")


def write_evidence_pack(
    whose: AuditScope, log: LogEvidence, judge: JudgeEvidence | None, stretch: RoundRows, folder: Path
) -> EvidencePack:
    """Write the evidence of `stretch` to the new `folder`.

    Raises:
        AuditError: The folder exists or cannot be written.
    """
    outputs = [] if judge is None else [out for out in judge.outputs(whose.key) if stretch.holds(out.cause)]
    said = [decode(OutputEvent, output.body) for output in outputs]
    reveals = [_reveal(event.data, stretch) for event in said if isinstance(event.data, Reveal | ReaderRevealed)]
    summary = {
        "table": whose.key,
        "round": stretch.number,
        "first": _row(stretch.rows[0]),
        "last": _row(stretch.rows[-1]),
        "verify_keys": list(whose.trusted),
        "checkpoints": [
            {"mark": c.mark, "row": _text(c.head.at), "hash": c.head.hash, "signer": c.signer, "signature": c.signature}
            for c in log.checkpoints()
        ],
        "gaming_days": sorted({_day(event) for event in stretch.events} - {""}),
        "clock": _clock(stretch.events),
        "simulated": any(event.simulated for event in stretch.events),
        "verdicts": [_verdict(event) for event in said if isinstance(event.data, Irregularity | Notice)],
        "reveals": reveals,
    }
    _write(folder, stretch.rows, outputs, summary)
    unproved = sum(not reveal["commitment_holds"] for reveal in reveals)
    return EvidencePack(len(stretch.rows), len(outputs), len(reveals), unproved)


def _reveal(reveal: Reveal | ReaderRevealed, stretch: RoundRows) -> dict[str, object]:
    row = next((e for e in stretch.events if (e.epoch, e.tableseq) == (reveal.epoch, reveal.event)), None)
    committed = "" if row is None else _committed(row, reveal)
    return {
        "row": f"{reveal.epoch}/{reveal.event}",
        "what": reveal.model_dump(mode="json"),
        "commitment_in_row": committed,
        "commitment_holds": row is not None and verify_reveal(row.source, reveal, committed),
    }


def _committed(row: LogEvent, reveal: Reveal | ReaderRevealed) -> str:
    match row.data:
        case ShoeCard(face=sealed) if sealed is not None:
            return sealed.commitment
        case ShoeStack(faces=faces) if isinstance(reveal, Reveal) and reveal.index < len(faces):
            return faces[reveal.index].commitment
        case ReaderResult(answer=sealed):
            return sealed.commitment
        case _:
            return ""


def _verdict(event: OutputEvent) -> dict[str, object]:
    judged_by = {"rules": event.rulesversion, "profile": event.profiledigest}
    return {"row": f"{event.epoch}/{event.tableseq}", "time": event.time, "gaming_day": _day(event), **judged_by} | (
        event.data.model_dump(mode="json")
    )


def _clock(events: Sequence[LogEvent]) -> dict[str, object]:
    return {
        "from": events[0].time if events else None,
        "to": events[-1].time if events else None,
        "synchronised_throughout": all(event.clocksync for event in events),
        "largest_error_ms": max((event.clockerror for event in events), default=None),
    }


def _row(row: EvidenceRow) -> dict[str, object]:
    return {"row": _text(row.at), "hash": row.hash}


def _text(at: Position) -> str:
    return f"{at.epoch}/{at.number}"


def _write(
    folder: Path, rows: Sequence[EvidenceRow], outputs: Sequence[StoredOutput], summary: dict[str, object]
) -> None:
    files = {
        "events.jsonl": b"".join(row.body + b"\n" for row in rows),
        "outputs.jsonl": b"".join(output.body + b"\n" for output in outputs),
        "summary.json": json.dumps(summary, indent=2).encode() + b"\n",
    }
    sums = "".join(f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in files.items())
    try:
        folder.mkdir(parents=True)
        for name, body in {**files, "SHA256SUMS": sums.encode()}.items():
            (folder / name).write_bytes(body)
    except OSError as error:
        raise AuditError(f"{folder}: the evidence cannot be written: {error.strerror}. Name a new folder") from None
