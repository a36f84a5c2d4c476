"""Rows that the field half itself writes: epochs, keys, the clock, the displayed permit, its own faults."""

from typing import Annotated, Literal

from pydantic import Field

from pitwarden_client.events.base import MAX_NUMBER, Base64, Hex32, Ident, Number, Position, Record, Text
from pitwarden_client.events.card_faces import Wrapped
from pitwarden_client.events.device import CommandName, Refusal

Signature = Annotated[Base64, Field(min_length=88, max_length=88)]


class Head(Record):
    """Last row of a log: position and hash."""

    at: Position
    hash: Hex32


PastState = Literal["none", "signed", "not_closed", "adopted", "set_aside"]
"""What a field half found before its new epoch: no row; rows that its key has signed; signed rows without the mark of
an orderly stop; unsigned rows of a version that signed once a second; or rows that it set aside, unsigned."""


class EpochOpened(Record):
    """First row of an epoch. `signature` is Ed25519 over site, table, epoch, parent and signer.

    `past`: what the field half found on its disk. With it, each commit of the epoch bears a signature. None: opened by
    a version that signed once a second.
    """

    kind: Literal["epoch.opened"] = "epoch.opened"
    parent: Head | None
    signer: Hex32
    signature: Signature
    past: PastState | None = None


class KeyAnnounced(Record):
    """New sealing key, wrapped for each configured judge, and signed. It precedes every row sealed under it."""

    kind: Literal["key.announced"] = "key.announced"
    key: Ident
    wrapped: Wrapped
    signer: Hex32
    signature: Signature


class ClockTick(Record):
    """Time passed without another event: every 10 s, and 1 s after the last other event."""

    kind: Literal["clock.tick"] = "clock.tick"


class ClockStepped(Record):
    """The UTC clock was set by `delta_ms`; log time was not affected."""

    kind: Literal["clock.stepped"] = "clock.stepped"
    delta_ms: Annotated[int, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]


class PermitApplied(Record):
    """The displayed permit changed: dealing permitted, withheld, or the permit expired without renewal."""

    kind: Literal["permit.applied"] = "permit.applied"
    granted: bool
    cause: Literal["granted", "withheld", "expired"]
    as_of: Position | None


class Attested(Record):
    """Attestation of the house, in the table file, about a clause that no device senses."""

    clause: Ident
    by: Text
    on: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$")]
    reference: Text = ""


class JudgeAnnounced(Record):
    """A judge with these rules evaluates this table from here on. Earlier outputs remain valid and are not repeated.

    `signer`: the key that verifies the signatures of its record. None: a version that did not sign its outputs.
    """

    kind: Literal["judge.announced"] = "judge.announced"
    judge: Ident
    rules_version: Ident | Annotated[str, Field(pattern=r"^[0-9A-Za-z.+-]{1,32}$")]
    profile_digest: Hex32
    attested: Annotated[tuple[Attested, ...], Field(max_length=32)] = ()
    signer: Hex32 | None = None


class LogFault(Record):
    """The field half lost something or failed in its task. It is in the log so that the judge receives it."""

    kind: Literal["log.fault"] = "log.fault"
    fault: Literal[
        "queue_overflow",
        "journal_full",
        "journal_damaged",
        "forked",
        "client_id_conflict",
        "acl_denied",
        "row_unreadable",
    ]
    detail: Text
    lost: Number = 0


class CommandAccepted(Record):
    """A command is sent to its device once this row is committed. Its outcome is a `device.command` row."""

    kind: Literal["command.accepted"] = "command.accepted"
    device: Ident
    request: Ident
    command: CommandName
    as_of: Position


class CommandRefused(Record):
    """A command was not sent to its device. Logged once for each device and reason within an epoch."""

    kind: Literal["command.refused"] = "command.refused"
    device: Ident
    reason: Refusal


TableEvent = (
    EpochOpened | KeyAnnounced | ClockTick | ClockStepped | PermitApplied | JudgeAnnounced | LogFault
    | CommandAccepted | CommandRefused
)  # fmt: skip
