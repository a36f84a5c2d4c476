"""What the judge says: irregularities, duties, reveals, refusals, notices, and the one retained state of a table."""

from typing import Annotated, Literal

from pydantic import Field

from pitwarden_client.events.base import Box, Count, Hex32, Ident, Millis, Number, Position, Record, Text

Verdict = Literal[
    "CONTINUE", "USE_NEXT", "RACK", "BURN", "DESTROY", "VOID", "DEAD", "HAND_DEAD", "OPTION", "SHUFFLE", "REMIX",
    "RECUT", "DECK_OUT", "DEV_OUT", "NO_READER", "HOLD", "ALERT",
]  # fmt: skip
"""What must happen: the verdict words of the catalogue, section 0."""

Basis = Literal["text", "default", "house", "analogy"]
"""`text`: the remedy is in the regulation; `default`: the text states a duty without one; `house`: policy of this
daemon; `analogy`: the text is missing from our sources."""

Actor = Literal["dealer", "floorperson", "supervisor"]
Verdicts = Annotated[tuple[Verdict, ...], Field(max_length=8)]
Evidence = Annotated[tuple[Number, ...], Field(max_length=64)]
Cites = Annotated[tuple[Text, ...], Field(max_length=8)]


class ClearingFact(Record):
    """A fact that a row of the log can establish, and that helps to clear an irregularity.

    `kind`: what happens, as `shuffled`, `verified` or `noted`; later minor versions may add kinds. `subject`: the deck,
    the device or the way of dealing that it is about, None where the kind says all; `rest` stands for the discards of a
    round whose shoe ran short.
    """

    kind: Ident
    subject: Ident | None = None


ClearingStep = Annotated[tuple[ClearingFact, ...], Field(min_length=1, max_length=32)]
ClearingSteps = Annotated[tuple[ClearingStep, ...], Field(max_length=64)]


class BlastRadius(Record):
    """The rounds that a wrong count of a deck may touch: those it was dealt in since its last count that was right.

    `since` is that count's row and `by` who made it, None when there is none; `more` earlier rounds are not listed.
    """

    since: Position | None
    by: Ident | None
    rounds: Annotated[tuple[Count, ...], Field(max_length=256)]
    more: Count = 0


class Irregularity(Record):
    """Something that a clause speaks to. Said anew at each change of `status`; `ref` stays the same throughout.

    `clears_facts`: what clears it, as steps; each step must happen, and of its alternatives one is enough. A deck that
    leaves the table also settles what is asked of it. `clears` is the same in words. Both stay as they were when the
    irregularity was opened. Outputs of judges before rules 0.3.17 have no `clears_facts`.
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
    """Something that must be done by a time or a round: a stub count, a card change, an inspection."""

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
    """Something that a person at the table is told, with nothing to clear."""

    kind: Literal["notice"] = "notice"
    catalogue: Text
    clauses: Cites
    verdicts: Verdicts
    sentence: Text
    box: Box | None = None


class Refused(Record):
    """An input that the rules do not allow here; it changed nothing."""

    kind: Literal["refused"] = "refused"
    catalogue: Text
    clauses: Cites
    sentence: Text


class Reveal(Record):
    """A card that is public now: what was drawn, where it lies, and the blind that checks its commitment."""

    kind: Literal["reveal"] = "reveal"
    epoch: Ident
    event: Number
    index: Count
    slot: Text
    face: Text
    blind: Hex32
    commitment: Hex32


class RevealCorrected(Record):
    """The place of a card that was revealed before: a later input moved it. The card itself is the revealed one.

    `was`: slot of the reveal, or of the last correction of this card. Each correction is an output of its own, numbered
    and chained like a reveal; the newest one counts.
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
    """What became of one wager, from public cards and keyed decisions alone; advisory.

    `hand`: as `box2`, `box2b`, or `table` where all boxes have the same; `line`: the hand or the line of the pay table;
    `pays`: as `40 to 1`, empty where no pay table is configured. Amounts in cents, where they were keyed: `stake`, and
    `wins` beside it. The last one said of a hand's wager in a round counts; `withdrawn`: an input was taken back,
    or a card turned out not to be the hand's.
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
    """A check of the rules core failed on an event: the table holds until the floor has looked.

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
    """The deal permit (house policy): granted or withheld with the reasons, until `expires_ms` of log time."""

    granted: bool
    reasons: Annotated[tuple[Text, ...], Field(max_length=64)]
    expires_ms: Millis


class TableState(Record):
    """The one retained state of a table, replaced whole by its judge."""

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
