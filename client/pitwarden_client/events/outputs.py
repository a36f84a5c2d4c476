"""Outputs of the judge: irregularities, duties, reveals, refusals, notices, and the retained state of a table."""

from typing import Annotated, Literal

from pydantic import Field

from pitwarden_client.events.base import Box, Count, Hex32, Ident, Millis, Number, Position, Record, Role, Text

Verdict = Literal[
    "CONTINUE", "USE_NEXT", "RACK", "BURN", "DESTROY", "VOID", "DEAD", "HAND_DEAD", "OPTION", "SHUFFLE", "REMIX",
    "RECUT", "DECK_OUT", "DEV_OUT", "NO_READER", "HOLD", "ALERT",
]  # fmt: skip
"""Required action: the verdict words of the catalog, section 0."""

Basis = Literal["text", "default", "house", "analogy"]
"""`text`: the remedy is in the regulation; `default`: the text states a duty without one; `house`: policy of this
daemon; `analogy`: the text is missing from our sources."""

Actor = Literal["dealer", "floorperson", "supervisor"]
Verdicts = Annotated[tuple[Verdict, ...], Field(max_length=8)]
Evidence = Annotated[tuple[Number, ...], Field(max_length=64)]
Cites = Annotated[tuple[Text, ...], Field(max_length=8)]


class ClearingFact(Record):
    """Fact that a row of the log can establish, and that helps to clear an irregularity.

    `kind` names the fact, as `shuffled`, `verified` or `noted`; later minor versions may add kinds. `subject` names the
    deck, the device or the way of dealing, None where the kind is sufficient; `rest` stands for the discards of a round
    whose shoe ran short.
    """

    kind: Ident
    subject: Ident | None = None


ClearingStep = Annotated[tuple[ClearingFact, ...], Field(min_length=1, max_length=32)]
ClearingSteps = Annotated[tuple[ClearingStep, ...], Field(max_length=64)]


class BlastRadius(Record):
    """Rounds that a wrong count of a deck may affect: those in which it was dealt since its last right count.

    `since` is that count's row and `by` its author, None when there is none; `more` earlier rounds are not listed.
    """

    since: Position | None
    by: Ident | None
    rounds: Annotated[tuple[Count, ...], Field(max_length=256)]
    more: Count = 0


class Irregularity(Record):
    """Event for which a clause has a rule. Published again at each change of `status`; `ref` does not change.

    `clears_facts` states what clears it, as steps: each step must happen, and one of its alternatives is enough. When a
    deck leaves the table, steps about it are settled too. `clears` is the same as a sentence. Both stay as they were
    when the irregularity was opened. Outputs of judges before rules 0.3.17 have no `clears_facts`.
    """

    kind: Literal["irregularity"] = "irregularity"
    ref: Ident
    catalogue: Text
    clauses: Cites
    verdicts: Verdicts
    basis: Basis
    status: Literal["open", "acknowledged", "cleared", "refuted", "withdrawn"]
    actor: Actor
    clears: Text
    clears_facts: ClearingSteps = ()
    sentence: Text
    round: Count | None = None
    deck: Ident | None = None
    device: Text | None = None
    box: Box | None = None
    evidence: Evidence = ()
    by: Ident | None = None
    settled_before: Cites = ()
    blast: BlastRadius | None = None


class Duty(Record):
    """Action that must be done by a time or a round: a stub count, a card change, an inspection."""

    kind: Literal["duty"] = "duty"
    ref: Ident
    duty: Literal["stub_count", "card_change", "inspection", "shuffle", "burn", "cut"]
    catalogue: Text
    clauses: Cites
    status: Literal["due", "overdue", "done"]
    actor: Actor
    sentence: Text
    subject: Text


class Notice(Record):
    """Message to the people at the table, with nothing to clear."""

    kind: Literal["notice"] = "notice"
    catalogue: Text
    clauses: Cites
    verdicts: Verdicts
    sentence: Text
    box: Box | None = None


class Refused(Record):
    """Input that the rules do not allow here. It changed nothing."""

    kind: Literal["refused"] = "refused"
    catalogue: Text
    clauses: Cites
    sentence: Text


class Reveal(Record):
    """Card that is public now: the drawn card, its place, and the blind that proves its commitment."""

    kind: Literal["reveal"] = "reveal"
    epoch: Ident
    event: Number
    index: Count
    slot: Text
    face: Text
    blind: Hex32
    commitment: Hex32


class RevealCorrected(Record):
    """Corrected place of a card that was revealed before: a later input moved it. The card itself is the revealed one.

    `was` is the slot of the reveal, or of the last correction of this card. Each correction is an output of its own,
    numbered and chained like a reveal; the newest one is valid.
    """

    kind: Literal["reveal.corrected"] = "reveal.corrected"
    epoch: Ident
    event: Number
    index: Count
    slot: Text
    was: Text


class ReaderRevealed(Record):
    """The reader's answer, public once the windows before it are closed."""

    kind: Literal["reader.revealed"] = "reader.revealed"
    epoch: Ident
    event: Number
    blackjack: bool
    blind: Hex32
    commitment: Hex32


class WagerOutcome(Record):
    """Outcome of one wager, from public cards and keyed decisions only; advisory.

    `hand`: as `box2`, `box2b`, or `table` where all boxes have the same. `line`: the hand, or the line of the pay
    table. `pays`: as `40 to 1`, empty where no pay table is configured. `stake` and `wins`: amounts in cents, where
    keyed. The last outcome of a hand's wager in a round is valid. `withdrawn`: an input was retracted, or a card proved
    not to be the hand's.
    """

    hand: Ident
    wager: Ident
    result: Literal["win", "lose", "push", "returned", "half", "void", "withdrawn"]
    line: Ident
    pays: Text = ""
    catalogue: Text
    clauses: Cites
    basis: Basis
    stake: Number | None = None
    wins: Number | None = None


class Outcomes(Record):
    """Wagers that public cards and keyed decisions decided on a row of the log."""

    kind: Literal["outcomes"] = "outcomes"
    round: Count
    wagers: Annotated[tuple[WagerOutcome, ...], Field(min_length=1, max_length=128)]


class CheckFailed(Record):
    """A check of the rules core failed on an event: the table must hold until the floorperson has inspected it.

    `check` is the check's stable identifier. `error` is the class of the exception: for diagnosis, and not stable.
    """

    kind: Literal["check.failed"] = "check.failed"
    check: Text
    error: Ident


Output = Annotated[
    Irregularity | Duty | Notice | Refused | Reveal | RevealCorrected | ReaderRevealed | Outcomes | CheckFailed,
    Field(discriminator="kind"),
]


class Permit(Record):
    """The deal permit (house policy): granted, or withheld with reasons, until `expires_ms` of log time."""

    granted: bool
    reasons: Annotated[tuple[Text, ...], Field(max_length=64)]
    expires_ms: Millis


class OpenedIrregularity(Record):
    """Opening of an irregularity: its row, log time and UTC of that row in ms, and who may key what clears it.

    `ref` is the irregularity's. `may_act` lists the roles whose login may send what clears it. `may_clear` lists those
    that may acknowledge it and, as far as the role has the act, rule on, confirm or refute it: never the role whose act
    it is about; empty at judges before rules 0.4.5. `not_by` is the person whose own act it is, who may not either.
    """

    ref: Ident
    at: Position
    logms: Millis
    utc_ms: Millis
    may_act: Annotated[tuple[Role, ...], Field(max_length=3)]
    may_clear: Annotated[tuple[Role, ...], Field(max_length=3)] = ()
    not_by: Ident | None = None


class TableState(Record):
    """The retained state of a table. Its judge replaces the complete message.

    `opened` has an entry for each of `irregularities`, in the same order; judges before contract 1.4 published none.
    """

    as_of: Position
    outputs: Number
    game: Ident
    round: Count
    in_round: bool
    permit: Permit
    irregularities: Annotated[tuple[Irregularity, ...], Field(max_length=256)]
    duties: Annotated[tuple[Duty, ...], Field(max_length=64)]
    rules_version: Text
    profile_digest: Hex32
    simulated: bool
    opened: Annotated[tuple[OpenedIrregularity, ...], Field(max_length=256)] = ()
