"""Table in memory: each call is one log row, two seconds after the previous one; all outputs are stored."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pitwarden.rules import (
    AnswerDue,
    DeckSetup,
    DeviceSetup,
    HousePolicy,
    LogEntry,
    RevealDue,
    RuleOutput,
    RulesState,
    TableSetup,
    initial_state,
    load_profile,
    step,
)
from pitwarden_client.events import floor as ft
from pitwarden_client.events.base import Role
from pitwarden_client.events.card_faces import Sealed, parse_face
from pitwarden_client.events.dealer_play import KpBoxes, KpDeal, KpDealer, KpDecision, KpHoleUp, KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpBonusSettled, KpClose
from pitwarden_client.events.device import (
    DeviceEvent,
    ReaderInserted,
    ReaderResult,
    ShoeCard,
    ShoeLoaded,
    ShoeStack,
    ShufflerDone,
    ShufflerStarted,
)
from pitwarden_client.events.inputs import Act, InputLogged
from pitwarden_client.events.outputs import CheckFailed, Duty, Irregularity, Notice, Outcomes, Refused, RevealCorrected
from pitwarden_client.events.table import ClockTick, TableEvent

SEALED = Sealed(key="k", box="", commitment="0" * 64)
EVENING = 1_767_636_000_000  # 2026-01-05 18:00 UTC
PACE = 2_000


def setup_of(game: str, *, reader: bool | str | None = "none", **changes: Any) -> TableSetup:  # noqa: ANN401  fields of the set-up
    """Return a table of `TAB` or `CB` with a shoe and a counting shuffler.

    `reader` is the kind that its players see.
    """
    tab = game == "TAB"
    devices = [DeviceSetup("shoe", "shoe", automated=not tab), DeviceSetup("shuffler", "shuffler", counts=True)]
    if reader != "none":
        visible = reader if isinstance(reader, bool) else None
        devices.append(DeviceSetup("reader", "reader", player_visible=visible))
    made = TableSetup(
        load_profile("triple-attack-blackjack" if tab else "three-card-blitz"),
        7 if tab else 6,
        tuple(devices),
        (DeckSetup("A"),),
        mode="manual_shoe" if tab else "auto_shoe",
        assume_devices=True,
    )
    return replace(made, **changes)


@dataclass
class RulesTable:
    """Table with its rules state and the outputs so far."""

    setup: TableSetup
    log_ms: int = 0
    utc_ms: int = EVENING
    epoch: str = "e1"
    rows: list[LogEntry] = field(default_factory=list)
    said: list[RuleOutput] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.state: RulesState = initial_state(self.setup)

    @property
    def number(self) -> int:
        return self.rows[-1].number if self.rows and self.rows[-1].epoch == self.epoch else 0

    def row(
        self,
        data: DeviceEvent | InputLogged | TableEvent,
        source: str = "field",
        *,
        faces: tuple[int, ...] = (),
        bit: bool | None = None,
        after: int = PACE,
        unreadable: bool = False,
        gaming_day: int | None = None,
    ) -> tuple[RuleOutput, ...]:
        """Append one row to the log; return the outputs of the rules for it."""
        self.log_ms += after
        self.utc_ms += after
        entry = LogEntry(
            self.epoch, self.number + 1, self.log_ms, self.utc_ms, source, data, faces, bit, unreadable, gaming_day
        )  # fmt: skip
        self.rows.append(entry)
        self.state, outputs = step(self.state, entry)
        self.said += outputs
        return outputs

    def key(
        self,
        act: Act,
        *,
        after: int = PACE,
        person: str | None = None,
        role: Role | None = None,
        witness: str | None = None,
    ) -> tuple[RuleOutput, ...]:
        """Key an input, of the role that may key it unless another is named. Each role is one person.

        The author of an input retracts it, as far as no other person is named. `witness` is the act's second person.
        """
        role = role or role_of(act)
        person = person or (self._author(act) if isinstance(act, ft.Retract) else _PERSONS[role])
        logged = InputLogged(
            role=role, terminal="t1", person=person, input_id="i1", as_of=None, act=act, witness=witness
        )
        return self.row(logged, "t1", after=after)

    def _author(self, act: ft.Retract) -> str:
        data = next((one.data for one in self.rows if one.number == act.number), None)
        return data.person if isinstance(data, InputLogged) else _PERSONS["dealer"]

    def draw(self, card: str, *, up: bool | None = None, after: int = PACE) -> tuple[RuleOutput, ...]:
        """Draw a card from the shoe."""
        return self.row(ShoeCard(face=SEALED, up=up), "shoe", faces=(parse_face(card),), after=after)

    def stack(self, count: int = 7, cards: str = "") -> tuple[RuleOutput, ...]:
        """Dispense a stack from the shoe."""
        faces = tuple(parse_face(card) for card in cards.split())
        return self.row(ShoeStack(count=count, faces=(SEALED,) * len(faces)), "shoe", faces=faces)

    def read(self, *, bit: bool) -> tuple[RuleOutput, ...]:
        """Insert the hole card into the reader, which answers."""
        return self.row(ReaderInserted(), "reader") + self.row(ReaderResult(answer=SEALED), "reader", bit=bit)

    def tick(self, after: int = 1_000) -> tuple[RuleOutput, ...]:
        """Append a tick after this time."""
        return self.row(ClockTick(), after=after)

    def open(self) -> "RulesTable":
        """Play the honest opening, with the burn card where the game has one."""
        self.key(ft.FtTableOpen())
        for device in self.setup.devices:
            self.key(ft.FtInspect(device=device.ident, ok=True))
        self.key(ft.FtDeckOpened(deck="A"))
        self.key(ft.FtOpening(deck="A", tens_removed=32 if self.setup.profile.burn else 0))
        self.shuffle()
        if self.setup.profile.burn:
            self.key(KpDealer(dealer="d1"))
            self.draw("4C")
        return self

    def shuffle(self, deck: str = "A") -> tuple[RuleOutput, ...]:
        """Shuffle and count the deck by machine, and load it."""
        total = self.setup.profile.total
        return (
            self.row(ShufflerStarted(deck=deck), "shuffler")
            + self.row(ShufflerDone(deck=deck, count=total), "shuffler")
            + self.row(ShoeLoaded(deck=deck, count=total), "shoe")
        )

    def deal(self, firsts: str, up: str, seconds: str, hole: str) -> "RulesTable":
        """Deal the initial cards of triple attack blackjack to boxes 1 to n."""
        self.key(KpBoxes(boxes=tuple(range(1, len(firsts.split()) + 1))))
        self.key(KpDeal())
        for card in firsts.split():
            self.draw(card)
        self.key(KpClose(window="attack2"))
        self.draw(up)
        self.key(KpClose(window="attack3"))
        for card in (*seconds.split(), hole):
            self.draw(card)
        return self

    def decide(self, box: int, *decisions: str) -> tuple[RuleOutput, ...]:
        """Key decisions of a box; a card name among them is drawn."""
        said: tuple[RuleOutput, ...] = ()
        for word in decisions:
            known = word in {"hit", "stand", "double", "split", "play", "fold"}
            said += self.key(KpDecision(box=box, decision=word)) if known else self.draw(word)  # type: ignore[arg-type]
        return said

    def finish(self) -> "RulesTable":
        """Turn the hole card and end the round."""
        self.key(KpHoleUp())
        self.key(KpRoundEnd())
        return self


_PERSONS: Final[Mapping[Role, str]] = {"dealer": "p1", "floor": "f1", "supervisor": "s1"}


def role_of(act: Act) -> Role:
    """Return the dealer for the dealer's keys, else a casino supervisor, who may key all others."""
    return "dealer" if act.act.startswith("kp.") else "supervisor"


def words(outputs: tuple[RuleOutput, ...]) -> list[str]:
    """Return outputs in short, without outcomes: `TAB-36 RACK`, `refused TAB-30`, `reveal box1.1`, `answer`."""
    return [_word(output) for output in outputs if not isinstance(output, Outcomes)]


def _word(output: RuleOutput) -> str:
    match output:
        case Irregularity(status="open") | Notice():
            return f"{output.catalogue} {'+'.join(output.verdicts)}"
        case Irregularity() | Duty():
            return f"{output.catalogue} {output.status}"
        case Refused():
            return f"refused {output.catalogue}"
        case RevealDue():
            return f"reveal {output.slot}"
        case RevealCorrected():
            return f"corrected {output.was} {output.slot}"
        case AnswerDue():
            return "answer"
        case CheckFailed():
            return f"failed {output.check}"
        case Outcomes():
            return "outcomes"


Play = Callable[[RulesTable], object]
__all__ = ["EVENING", "PACE", "SEALED", "HousePolicy", "Play", "RulesTable", "setup_of", "words"]


def dealt_table(firsts: str = "5C 9H", seconds: str = "6D KC", up: str = "9S", hole: str = "KD") -> RulesTable:
    table = RulesTable(setup_of("TAB")).open().deal(firsts, up, seconds, hole)
    table.key(KpBonusSettled(box=1))
    return table
