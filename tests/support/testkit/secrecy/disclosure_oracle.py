"""Time at which each card and each answer of the reader becomes public, computed from inputs alone.

For nights in which every card leaves the shoe as it was shuffled, and people key what they do.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from pitwarden_client.events.dealer_cards import KpBurnRequest
from pitwarden_client.events.dealer_play import KpBoxes, KpDealer, KpReveal, KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpClose, KpOpen
from pitwarden_client.events.device import ReaderResult, ShoeCard, ShoeLoaded, ShoeStack
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.inputs import Act, InputLogged
from pitwarden_simulators.cards import Card
from testkit.secrecy.card_truth import CardTruth, Cycle

_HAND = 7
_CHECKED = "AKQJ"

_KEYS: Final[dict[str, tuple[tuple[str, ...], str | None]]] = {
    "kp.deal": ((), "first"),
    "kp.close attack2": (("first",), "up"),
    "kp.close attack3": (("up",), "second"),
    "kp.dealt": (("second",), None),
    "kp.close insurance": (("answer",), None),
    "kp.bonus_settled": ((), "hit"),
    "kp.decision": ((), "hit"),
    "kp.hole_up": (("hole",), "hit"),
    "kp.dealer_reveal": (("hand dealer",), None),
}
"""Cards that a key makes public, and the purpose of the cards after it; None: the same as before."""


@dataclass
class HiddenValue:
    """A card at a place of a shuffle, or the reader's answer (`cycle` None). `public`: the publishing row, or 0."""

    kind: str
    row: int
    public: int = 0
    cycle: Cycle | None = None
    place: int = 0


@dataclass
class DisclosureOracle:
    """Secrets of a night, in the order in which they were sensed. `dealt`: the cards that left the shoe."""

    truth: CardTruth
    dealt: Sequence[Card]
    blitz: bool
    secrets: list[HiddenValue] = field(default_factory=list)
    _drawn: int = 0
    _loads: dict[str, int] = field(default_factory=dict)
    _cycle: Cycle | None = None
    _place: int = 0
    _phase: str = ""
    _boxes: tuple[int, ...] = ()
    _burn_due: bool = False
    _insured: bool = False
    _asked: bool = False
    _up_rank: str = ""
    _waiting: list[HiddenValue] = field(default_factory=list)

    def undealt(self, cycle: Cycle) -> range:
        """Return the places of a shuffle that no card left."""
        dealt = sum(secret.cycle == cycle for secret in self.secrets)
        return range(dealt, len(self.truth.orders[cycle]))

    def follow(self, rows: Iterable[LogEvent]) -> "DisclosureOracle":
        """Follow the rows of the log."""
        for row in rows:
            match row.data:
                case ShoeLoaded(deck=deck):
                    self._loads[deck] = self._loads.get(deck, 0) + 1
                    self._cycle, self._place, self._burn_due = (deck, self._loads[deck]), 0, True
                case ShoeCard():
                    self._draw(row)
                case ShoeStack(count=count):
                    for _ in range(count):
                        self._draw(row)
                case ReaderResult():
                    self._answer(row)
                case InputLogged(act=act):
                    self._key(row, act)
                case _:
                    pass
        return self

    def _draw(self, row: LogEvent) -> None:
        kind = self._kind(stacked=isinstance(row.data, ShoeStack))
        secret = HiddenValue(kind, row.tableseq, cycle=self._cycle, place=self._place)
        self._place += 1
        if kind == "up":
            self._up_rank = self.dealt[self._drawn].rank
        self._drawn += 1
        self.secrets.append(secret)
        if kind == "hit":
            secret.public = row.tableseq
        else:
            self._waiting.append(secret)

    def _kind(self, *, stacked: bool) -> str:
        if self._phase == "hands":
            dealt = sum(secret.kind.startswith("hand") for secret in self._waiting)
            turn = dealt // _HAND if stacked else dealt % (len(self._boxes) + 1)
            return f"hand {self._boxes[turn]}" if turn < len(self._boxes) else "hand dealer"
        if self._burn_due and self._phase == "":
            self._burn_due = False
            return "burn"
        if self._phase == "second" and self._count("second") == len(self._boxes):
            return "hole" if self._count("hole") == 0 else "hit"
        return self._phase

    def _count(self, kind: str) -> int:
        return sum(secret.kind == kind for secret in self._waiting)

    def _answer(self, row: LogEvent) -> None:
        secret = HiddenValue("answer", row.tableseq)
        self.secrets.append(secret)
        self._waiting.append(secret)
        if self._up_rank in _CHECKED and not self._insured:
            self._publish(row, "answer")

    def _key(self, row: LogEvent, act: Act) -> None:
        word = act.act + (f" {act.window}" if isinstance(act, KpOpen | KpClose) else "")
        kinds, phase = _KEYS.get(word, ((), None))
        for kind in kinds:
            self._publish(row, kind)
        self._phase = self._phase if phase is None else phase
        match act:
            case KpBoxes(boxes=boxes):
                self._boxes = boxes
                self._phase = "hands" if self.blitz else ""
            case KpDealer():
                self._burn_due = True
            case KpBurnRequest() if self._asked:
                self._publish(row, "burn")
            case KpBurnRequest():
                self._asked = True
            case KpOpen() | KpClose():
                self._insured = word == "kp.open insurance"
            case KpReveal(box=box):
                self._publish(row, f"hand {box}")
            case KpRoundEnd():
                self._phase, self._waiting, self._insured, self._asked = "", [], False, False
            case _:
                pass

    def _publish(self, row: LogEvent, kind: str) -> None:
        """Publish the waiting cards of this kind with `row`.

        A public answer of the reader discloses the hole card too.
        """
        kinds = {kind, "hole"} if kind == "answer" and self._count("answer") else {kind}
        for secret in self._waiting:
            if secret.kind in kinds:
                secret.public = row.tableseq
        self._waiting = [secret for secret in self._waiting if not secret.public]


def by_kind(secrets: Iterable[HiddenValue]) -> Iterator[tuple[str, list[HiddenValue]]]:
    """Yield those that became public, by kind; hands of all boxes are one kind."""

    def kind(secret: HiddenValue) -> str:
        return "hand of a box" if secret.kind.startswith("hand ") and secret.kind != "hand dealer" else secret.kind

    for name, some in groupby(sorted((s for s in secrets if s.public), key=kind), key=kind):
        yield name, list(some)
