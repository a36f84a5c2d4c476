"""The whole state, findings, irregularities; small state updates.

What the rules remember of a table, and what of it is public. Frozen; hidden faces and bits have no repr.

Small steps that all moves share: put a part back, say a token, refuse an input.
"""

from dataclasses import dataclass, field

from pitwarden.rules.evaluation.craps import CrapsState
from pitwarden.rules.frozen import replace
from pitwarden.rules.setup.table_setup import TableSetup
from pitwarden.rules.shuffle.auditor import ShuffleAudit
from pitwarden.rules.state.card_book import DeckBook, Imbalance
from pitwarden.rules.state.entry import AnswerDue, LogEntry, RevealDue
from pitwarden.rules.state.equipment import DeckState, DeviceState, ShoeState, TableConditions
from pitwarden.rules.state.round import DrawFate, DrawnCard, RoundState
from pitwarden_client.events.outputs import Duty, Irregularity, Notice, Permit, Refused, RevealCorrected, Verdict


@dataclass(frozen=True)
class Finding:
    """What a check found: the clause, its verdicts, and what fulfils it.

    `awaits` are the tokens that clear it, each perhaps with alternatives (`noted|verified:A`); `grace`: it waits the
    grace in log time, and is dropped when a token in `cancels` comes; `once`: not again in this round once cleared;
    `blast`: a count that is wrong, said with the rounds since the last right one by anybody but `doubts`.
    """

    key: str
    clause: str
    cites: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    basis: str
    actor: str
    sentence: str
    awaits: tuple[str, ...] = ("noted",)
    deck: str | None = None
    device: str | None = None
    box: int | None = None
    evidence: tuple[int, ...] = ()
    sensor: bool = False
    grace: bool = False
    cancels: tuple[str, ...] = ()
    once: bool = False
    blast: bool = False
    doubts: str = ""


@dataclass(frozen=True)
class IrregularityRecord:
    """An irregularity as it was last said, with what still has to come before it is cleared."""

    said: Irregularity
    finding: Finding
    awaits: tuple[str, ...]

    @property
    def live(self) -> bool:
        """Whether it is neither cleared nor refuted nor withdrawn."""
        return self.said.status in {"open", "acknowledged"}


@dataclass(frozen=True)
class PendingFinding:
    """A finding that waits for its grace to end at `due_ms` of log time."""

    due_ms: int
    finding: Finding


@dataclass(frozen=True)
class RowEffects:
    """What the last log row did: tokens it fulfilled, the fate of its draw, what it made public, why it was refused.

    `imbalances`: where it disagrees with the card ledger; `corrections`: published cards that it moved.
    """

    tokens: tuple[str, ...] = ()
    fate: DrawFate = ""
    draw: DrawnCard | None = None
    first: bool = False
    reveals: tuple[RevealDue | AnswerDue, ...] = ()
    notices: tuple[Notice, ...] = ()
    refused: Refused | None = None
    imbalances: tuple[Imbalance, ...] = ()
    corrections: tuple[RevealCorrected, ...] = ()


_TABLE, _ROUND, _SHOE, _DICE, _AUDIT = TableConditions(), RoundState(), ShoeState(), CrapsState(), ShuffleAudit()


@dataclass(frozen=True)
class RulesState:
    """A table as its log has made it so far."""

    setup: TableSetup
    digest: str = ""
    epoch: str = ""
    number: int = 0
    log_ms: int = 0
    utc_ms: int = 0
    table: TableConditions = _TABLE
    round: RoundState = _ROUND
    shoe: ShoeState = _SHOE
    decks: tuple[DeckState, ...] = ()
    devices: tuple[DeviceState, ...] = ()
    books: tuple[DeckBook, ...] = ()
    cases: tuple[IrregularityRecord, ...] = ()
    pending: tuple[PendingFinding, ...] = ()
    duties: tuple[Duty, ...] = ()
    dice: CrapsState = _DICE
    audit: ShuffleAudit = _AUDIT
    now: RowEffects = RowEffects()
    unjudged: str = ""
    undo_base: "RulesState | None" = field(default=None, repr=False)
    undo_rows: tuple[LogEntry, ...] = field(default=(), repr=False)

    def deck(self, ident: str) -> DeckState:
        """The deck called `ident`, as new when it was never heard of."""
        for deck in self.decks:
            if deck.ident == ident:
                return deck
        return DeckState(ident)

    def book(self, ident: str) -> DeckBook:
        """The card ledger's book of the deck called `ident`, all unknown when it was never opened here."""
        for book in self.books:
            if book.deck == ident:
                return book
        return DeckBook(ident, None, None, "", None, None)

    def device(self, ident: str) -> DeviceState | None:
        """The device called `ident`, None when it is not configured."""
        for device in self.devices:
            if device.ident == ident:
                return device
        return None

    @property
    def in_play(self) -> str:
        """The deck that is dealt: the one in the shoe, else (from the hand) the one that was shuffled last."""
        return self.shoe.deck or self.table.shuffled

    def present(self, kind: str) -> DeviceState | None:
        """The first device of `kind` that is on the table."""
        for device in self.devices:
            if device.kind == kind and device.on_table:
                return device
        return None

    def completes(self, deck: str) -> bool:
        """Whether a shuffle or load of `deck` now is of the discards, to complete a round short of cards (36.14(g))."""
        return self.round.completing and (self.round.deck or self.in_play) in {"", deck}

    @property
    def tells_of_shuffles(self) -> bool:
        """Whether a shuffle of this table's cards is heard of: by a shuffler, or since those by hand are keyed."""
        return self.present("shuffler") is not None or self.setup.keyed(("kp.manual_shuffle",))

    def holds(self, key: str) -> bool:
        """Whether the irregularity with this key is open."""
        return any(case.live and case.finding.key == key for case in self.cases)


@dataclass(frozen=True)
class PublicState:
    """What of a state is public: the judge's retained `TableState` without its stream numbers."""

    game: str
    round: int
    in_round: bool
    permit: Permit
    irregularities: tuple[Irregularity, ...]
    duties: tuple[Duty, ...]
    rules_version: str
    profile_digest: str


HOUSE_INPUT = "PW-INPUT"
"""The catalogue id of refusals that no clause but good order asks for."""


def replace_deck(state: RulesState, deck: DeckState) -> RulesState:
    """`state` with `deck` in place of the one of the same name, or behind the others."""
    if any(known.ident == deck.ident for known in state.decks):
        return replace(state, decks=tuple(deck if known.ident == deck.ident else known for known in state.decks))
    return replace(state, decks=(*state.decks, deck))


def replace_device(state: RulesState, device: DeviceState) -> RulesState:
    """`state` with `device` in place of the one of the same name."""
    return replace(state, devices=tuple([device if known.ident == device.ident else known for known in state.devices]))


def add_fact(state: RulesState, *tokens: str) -> RulesState:
    """`state` with `tokens` among what this row fulfilled."""
    return replace(state, now=replace(state.now, tokens=(*state.now.tokens, *tokens)))


def add_notice(state: RulesState, rule: str, case: str, sentence: str, box: int | None = None) -> RulesState:
    """`state` with a notice under the profile's `rule`; unchanged when the game has no such clause."""
    row = state.setup.profile.rule(rule)
    if row is None:
        return state
    verdicts: tuple[Verdict, ...] = row.verdicts(case) or ("CONTINUE",)
    notice = Notice(catalogue=row.clause, clauses=row.cites, verdicts=verdicts, sentence=sentence, box=box)
    return replace(state, now=replace(state.now, notices=(*state.now.notices, notice)))


def refuse_input(state: RulesState, sentence: str, rule: str = "") -> RulesState:
    """`state` with nothing changed but the refusal, under the profile's `rule` or as house order."""
    row = state.setup.profile.rule(rule)
    catalogue, cites = (row.clause, row.cites) if row else (HOUSE_INPUT, ())
    return replace(state, now=RowEffects(refused=Refused(catalogue=catalogue, clauses=cites, sentence=sentence)))
