"""State of one table, and the small updates of it that all transitions share.

Threat: anyone who reads a log line, a traceback or a snapshot. The state is frozen; hidden faces and bits have no repr.
"""

from dataclasses import dataclass, field
from typing import Final

from typing_extensions import Unpack

from pitwarden.rules.evaluation.craps import CrapsState
from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.case_records import ActOf, NoticeFields
from pitwarden.rules.profile.facts import NOTED, ClearingStep, Fact
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.profile.refusals import Reason
from pitwarden.rules.setup.table_setup import TableSetup
from pitwarden.rules.shuffle.auditor import ShuffleAudit
from pitwarden.rules.state.card_book import DeckBook, Imbalance
from pitwarden.rules.state.cards import DrawFate, DrawnCard
from pitwarden.rules.state.deck_in_hand import deck_in_hand, rotating
from pitwarden.rules.state.entry import AnswerDue, LogEntry, RevealDue
from pitwarden.rules.state.equipment import DeckState, DeviceState, ShoeState, TableConditions
from pitwarden.rules.state.round import RoundState
from pitwarden_client.events.outputs import (
    Duty,
    Irregularity,
    Notice,
    OpenedIrregularity,
    Permit,
    Refused,
    RevealCorrected,
    Verdict,
)

LAST_COUNT: Final = 9_999
"""Highest number of a round that an output names."""
ENDS_ROUND: Final[frozenset[Verdict]] = frozenset({"VOID", "DEAD"})
"""Verdict words that end a round."""


@dataclass(frozen=True)
class Finding:
    """Result of a check: the clause that a row touched, its verdicts, and the conditions that clear it."""

    key: str
    """Identity within a round: while a finding with this key is open, the same key opens no second irregularity."""
    clause: str
    cites: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    basis: str
    actor: str
    sentence: str
    awaits: tuple[ClearingStep, ...] = NOTED
    """Clearing conditions, all of which must happen in their order. Empty for a notice that needs no clearing."""
    deck: str | None = None
    device: str | None = None
    box: int | None = None
    evidence: tuple[int, ...] = ()
    """Numbers of the log rows that it rests on."""
    sensor: bool = False
    """True where it rests on a sensor's claim, which the floorperson may refute."""
    grace: bool = False
    """True where it is reported only after the grace of the table file, in log time, since a key and the shoe race."""
    cancels: tuple[Fact, ...] = ()
    """Facts that drop it during its grace."""
    once: bool = False
    """True where it is not reported again in this round after it was cleared. With `act_of` it is a breach of its
    round: in another round the same key is another breach, also while the first is open."""
    blast: bool = False
    """True for a wrong count; it is published with the rounds that it may have affected."""
    rests_on: tuple[str, ...] = ()
    """References of the irregularities that it follows from; it falls once all of them are refuted or withdrawn."""
    doubts: str = ""
    """Device or person whose counts do not end that list of rounds; empty for none."""
    act_of: ActOf = "none"
    """Role whose act it is about, as the record of the case states it."""
    act_by: str | None = None
    """Person who keyed that act; None where no input of that role shows it."""


@dataclass(frozen=True)
class IrregularityRecord:
    """An irregularity as it was last published, with the clearing conditions that are still open."""

    said: Irregularity
    finding: Finding
    awaits: tuple[ClearingStep, ...]
    """Open clearing conditions, as `Finding.awaits`."""
    opened: OpenedIrregularity
    """Row on which it was opened, and who may clear it: part of the public state."""

    @property
    def live(self) -> bool:
        """True while it is neither cleared nor refuted nor withdrawn."""
        return self.said.status in {"open", "acknowledged"}

    @property
    def ends_round(self) -> bool:
        """True where it makes its round void, or all hands dead."""
        return not ENDS_ROUND.isdisjoint(self.said.verdicts)


@dataclass(frozen=True)
class PendingFinding:
    """A finding whose grace ends at `due_ms` of log time."""

    due_ms: int
    finding: Finding


@dataclass(frozen=True)
class RowEffects:
    """Effects of the latest log row. They are replaced, never merged, by the next row."""

    facts: tuple[Fact, ...] = ()
    """Facts that the row established, in order."""
    fate: DrawFate = ""
    """Destination of the card that the row drew or reclassified; empty for none."""
    draw: DrawnCard | None = None
    first: bool = False
    """True when that card is the first of its round."""
    reveals: tuple[RevealDue | AnswerDue, ...] = ()
    """Cards and answers that became public."""
    notices: tuple[Notice, ...] = ()
    refused: Refused | None = None
    """Refusal of the row's input; then the row has no other effect."""
    imbalances: tuple[Imbalance, ...] = ()
    """Disagreements between the row and the card ledger."""
    corrections: tuple[RevealCorrected, ...] = ()
    """Published cards whose slot the row changed."""


_TABLE, _ROUND, _SHOE, _DICE, _AUDIT = TableConditions(), RoundState(), ShoeState(), CrapsState(), ShuffleAudit()


@dataclass(frozen=True)
class RulesState:
    """A table as its log has made it so far. `step` is the only function that advances it."""

    setup: TableSetup
    digest: str = ""
    """Digest of the effective profile, see `profile_digest`."""
    epoch: str = ""
    """Epoch of the latest row; empty before the first."""
    number: int = 0
    """Number of the latest row in `epoch`."""
    log_ms: int = 0
    """Log time in milliseconds; never runs back."""
    utc_ms: int = 0
    """Wall clock of the latest row in milliseconds of UTC; may run back."""
    table: TableConditions = _TABLE
    round: RoundState = _ROUND
    shoe: ShoeState = _SHOE
    decks: tuple[DeckState, ...] = ()
    """Decks that were opened here, without the returned ones."""
    devices: tuple[DeviceState, ...] = ()
    books: tuple[DeckBook, ...] = ()
    """Card ledger, one book for each deck."""
    cases: tuple[IrregularityRecord, ...] = ()
    """Irregularities: the live ones, those of this round, and those on a sensor's claim since the last shuffle."""
    pending: tuple[PendingFinding, ...] = ()
    """Findings within their grace."""
    duties: tuple[Duty, ...] = ()
    """Duties that are due, as last published."""
    dice: CrapsState = _DICE
    audit: ShuffleAudit = _AUDIT
    now: RowEffects = RowEffects()
    """Effects of the latest row."""
    unjudged: str = ""
    """Class name of the exception that stopped the judging of a row; empty for none. Withholds the permit until the
    floorperson verifies a deck."""
    undo_base: "RulesState | None" = field(default=None, repr=False)
    """State after the last irrevocable row, None where nothing can be retracted."""
    undo_rows: tuple[LogEntry, ...] = field(default=(), repr=False)
    """Rows since `undo_base`, oldest first."""

    def deck(self, ident: str) -> DeckState:
        """Return the deck named `ident`, or a new record for a deck that was never opened here."""
        for deck in self.decks:
            if deck.ident == ident:
                return deck
        return DeckState(ident)

    def book(self, ident: str) -> DeckBook:
        """Return the book of the deck named `ident`, or one with all numbers unknown."""
        for book in self.books:
            if book.deck == ident:
                return book
        return DeckBook(ident, None, None, "", None, None)

    def device(self, ident: str) -> DeviceState | None:
        """Return the device named `ident`, None when it is not configured."""
        for device in self.devices:
            if device.ident == ident:
                return device
        return None

    @property
    def in_play(self) -> str:
        """Deck that is dealt: the one in the shoe, else the one that was shuffled last.

        Of two decks that are dealt from the hand it is the one outside the shuffler; empty where nothing shows which.
        """
        if self.shoe.deck or self.table.mode != "hand" or len(rotating(self.decks)) < 2:  # noqa: PLR2004  two decks
            return self.shoe.deck or self.table.shuffled
        return self.round.deck if self.round.open else deck_in_hand(self.decks, self.devices, self.table.rack)

    def present(self, kind: str) -> DeviceState | None:
        """Return the first device of `kind` that is on the table, None without one."""
        for device in self.devices:
            if device.kind == kind and device.on_table:
                return device
        return None

    def completes(self, deck: str) -> bool:
        """Return whether a shuffle or load of `deck` now serves to complete a round short of cards (36.14(g)).

        Then it concerns the discards only.
        """
        return self.round.completing and (self.round.deck or self.in_play) in {"", deck}

    @property
    def tells_of_shuffles(self) -> bool:
        """True where the log reports every shuffle: a shuffler is on the table, or shuffles by hand are keyed."""
        return self.present("shuffler") is not None or self.setup.keyed(("kp.manual_shuffle",))

    def holds(self, key: str) -> bool:
        """Return whether the irregularity with this key is open."""
        return any(case.live and case.finding.key == key for case in self.cases)


@dataclass(frozen=True)
class PublicState:
    """Public part of a state: the judge's retained `TableState` without its stream numbers."""

    game: str
    round: int
    """Number of the current or last round, at most 9,999."""
    in_round: bool
    """True while a round is in progress."""
    permit: Permit
    irregularities: tuple[Irregularity, ...]
    """Live irregularities, oldest first; the newest 256."""
    opened: tuple[OpenedIrregularity, ...]
    """Openings of the live irregularities, in the same order."""
    duties: tuple[Duty, ...]
    """Duties that are due; the newest 64."""
    rules_version: str
    profile_digest: str


HOUSE_INPUT = "PW-INPUT"
"""Catalog id of refusals for which no clause, but the order of the house, is the reason."""


def replace_deck(state: RulesState, deck: DeckState) -> RulesState:
    """Return `state` with `deck` in place of the deck of the same name, or appended."""
    if any(known.ident == deck.ident for known in state.decks):
        return replace(state, decks=tuple(deck if known.ident == deck.ident else known for known in state.decks))
    return replace(state, decks=(*state.decks, deck))


def replace_device(state: RulesState, device: DeviceState) -> RulesState:
    """Return `state` with `device` in place of the device of the same name."""
    return replace(state, devices=tuple([device if known.ident == device.ident else known for known in state.devices]))


def add_fact(state: RulesState, *facts: Fact) -> RulesState:
    """Return `state` with `facts` added to those that this row established."""
    return replace(state, now=replace(state.now, facts=(*state.now.facts, *facts)))


def add_notice(
    state: RulesState, rule: ClauseRule | None, case: str, box: int | None = None, **fields: Unpack[NoticeFields]
) -> RulesState:
    """Return `state` with a notice of `case` added, in the words of its record; unchanged without such a clause.

    Args:
        state: State after the transition so far.
        rule: Row of the profile; None where the game has no such clause.
        case: Record of the rule; its verdicts are CONTINUE where the game states none.
        box: Box that it concerns, None for the table.
        fields: Values of the fields of its sentence.
    """
    if rule is None:
        return state
    record, values = rule.worded(case, {**fields, "box": box})
    verdicts: tuple[Verdict, ...] = rule.verdicts(record.of) or ("CONTINUE",)
    sentence = record.sentence(values)
    notice = Notice(catalogue=rule.clause, clauses=rule.cites, verdicts=verdicts, sentence=sentence, box=box)
    return replace(state, now=replace(state.now, notices=(*state.now.notices, notice)))


def refuse_input(state: RulesState, reason: Reason, rule: ClauseRule | None = None) -> RulesState:
    """Return `state` with no change except the refusal of the row's input.

    Args:
        state: State before the input.
        reason: Reason for the person who sent it, in the words of its record.
        rule: Row of the profile that forbids it; None for the order of the house.
    """
    catalogue, cites = (rule.clause, rule.cites) if rule else (HOUSE_INPUT, ())
    # The facts and notices of this row are dropped with it: a refused input must not clear an irregularity.
    return replace(state, now=RowEffects(refused=Refused(catalogue=catalogue, clauses=cites, sentence=reason)))
