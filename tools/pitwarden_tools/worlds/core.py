"""The rules core under the oracle: the same rows, and the cards and answers that it publishes."""

from dataclasses import replace
from typing import Final

from pitwarden.rules import (
    AnswerDue,
    DeckSetup,
    DeviceSetup,
    LogEntry,
    RevealDue,
    TableSetup,
    initial_state,
    load_profile,
    step,
)
from pitwarden.rules.profile.loading import default_decks
from pitwarden_client.events import dealer as kp
from pitwarden_client.events import floor as ft
from pitwarden_client.events.card_faces import Sealed
from pitwarden_client.events.dealer_cards import KpBurnRequest
from pitwarden_client.events.dealer_irregularities import KpFaceUp, KpMisplaced, KpNoCards, KpOneCard, KpOption, KpTen
from pitwarden_client.events.dealer_play import (
    KpBoxes,
    KpChoice,
    KpDeal,
    KpDealer,
    KpDealerDraw,
    KpDealerReveal,
    KpDealt,
    KpDecision,
    KpHoleUp,
    KpReveal,
    KpRoundEnd,
)
from pitwarden_client.events.dealer_wagers import (
    KpAntesCollected,
    KpBonusSettled,
    KpClose,
    KpIbSettled,
    KpNoMoreBets,
    KpOpen,
    KpWager,
)
from pitwarden_client.events.device import (
    DeviceEvent,
    ReaderHolePlaced,
    ReaderInserted,
    ReaderResult,
    ShoeCard,
    ShoeLoaded,
    ShoeStack,
    ShufflerDone,
    ShufflerStarted,
)
from pitwarden_client.events.inputs import Act, InputLogged, Role
from pitwarden_client.events.table import EpochOpened, TableEvent
from pitwarden_tools.worlds.games import WorldGame
from pitwarden_tools.worlds.rows import WorldRow

_START_MS: Final = 1_767_636_000_000
_PACE_MS: Final = 2_000
_SEALED: Final = Sealed(key="k", box="", commitment="0" * 64)
_OPENED: Final = EpochOpened(parent=None, signer="0" * 64, signature="0" * 88)
_SIMPLE: Final[dict[str, Act]] = {
    "deal": KpDeal(), "no_more_bets": KpNoMoreBets(), "dealt": KpDealt(), "face_up": KpFaceUp(),
    "hole_up": KpHoleUp(), "dealer_draw": KpDealerDraw(), "round_end": KpRoundEnd(), "ten": KpTen(),
    "burn_request": KpBurnRequest(), "ib_settled": KpIbSettled(), "dealer_reveal": KpDealerReveal(),
    "antes_collected": KpAntesCollected(), "ten_refuted": ft.FtTenRefuted(),
}  # fmt: skip


def _swap(places: tuple[int, ...]) -> Act:
    box, card, other, its = places
    return KpMisplaced(first=f"box{box}.{card}", second=f"box{other}.{its}")


def _about_box(word: str, more: str, box: int) -> list[Act]:
    """Return what is keyed of a box or a window; a forgotten second card is keyed with what its player chose."""
    match word:
        case "one_card" | "declined":
            choice = "take" if word == "one_card" else "dead"
            return [KpOneCard(box=box), KpOption.model_validate({"box": box, "choice": choice})]
        case "no_cards":
            return [KpNoCards(box=box)]
        case "bonus_settled":
            return [KpBonusSettled(box=box)]
        case "reveal":
            return [KpReveal(box=box)]
        case "open" | "close":
            model = KpOpen if word == "open" else KpClose
            return [model.model_validate({"window": more})]
        case "decision":
            return [KpDecision.model_validate({"box": box, "decision": more})]
        case "choice":
            return [KpChoice.model_validate({"box": box, "choice": more})]
        case _:
            return [KpWager.model_validate({"wager": more, "box": box})]


class PublishingCore:
    """A table of `game` and its judge; `without`: acts that this table does not key."""

    def __init__(self, game: WorldGame, *, stacks: bool = False, without: frozenset[str] = frozenset()) -> None:
        profile = load_profile(game.title, default_decks(game.title))
        devices = [DeviceSetup("shoe", "shoe", automated=stacks), DeviceSetup("shuffler", "shuffler", counts=True)]
        if game.burns:
            devices.append(DeviceSetup("reader", "reader", player_visible=False))
        setup = TableSetup(profile, 6, tuple(devices), (DeckSetup("A"),), mode="manual_shoe", assume_devices=True)
        setup = replace(setup, mode="auto_shoe") if stacks else setup
        if without:
            acts = {model.model_fields["act"].default for model in kp.DealerAct.__args__}
            setup = replace(setup, inputs=frozenset(acts - without))
        self._state, self._epoch, self._number, self._rows, self._dealers = initial_state(setup), 1, 0, 0, 0
        self._cards = 0
        self._of: dict[tuple[str, int, int], int] = {}
        self._keyed: dict[str, int] = {}
        self._key(ft.FtTableOpen())
        for one in devices:
            self._key(ft.FtInspect(device=one.ident, ok=True))
        self._key(ft.FtDeckOpened(deck="A"))
        self._key(ft.FtOpening(deck="A", tens_removed=0 if game.tens else 4 * profile.copies))
        self._step(ShufflerStarted(deck="A"), "shuffler")
        self._step(ShufflerDone(deck="A", count=profile.total), "shuffler")
        self._step(ShoeLoaded(deck="A", count=profile.total), "shoe")
        if profile.burn:
            self._key(self._dealer())
            self._step(ShoeCard(face=_SEALED, up=None), "shoe", (2,))

    def hear(self, row: WorldRow) -> tuple[int, ...]:
        """Continue with `row`; return the numbers of the cards and answers that the core publishes on it."""
        match row.kind:
            case "card":
                return self._step(ShoeCard(face=_SEALED, up=row.up or None), "shoe", row.faces, brings=1)
            case "stack":
                event = ShoeStack(count=len(row.faces), faces=(_SEALED,) * len(row.faces))
                return self._step(event, "shoe", row.faces, brings=len(row.faces))
            case "device" if row.name == "inserted":
                return self._step(ReaderInserted(), "reader")
            case "device" if row.name == "placed":
                return self._step(ReaderHolePlaced(), "reader")
            case "device":
                return self._step(ReaderResult(answer=_SEALED), "reader", bit=row.bit, brings=1)
            case _:
                return tuple([card for act in self._acts(row) for card in self._key(act, name=row.name)])

    def _acts(self, row: WorldRow) -> list[Act]:
        """Return what is keyed, as the core hears it; a new epoch is no key, and begins with the next row."""
        word, _, more = row.name.partition(" ")
        about, box = row.about, row.about if isinstance(row.about, int) else 1
        if row.name in _SIMPLE:
            return [_SIMPLE[row.name]]
        if row.name == "epoch":
            self._epoch, self._number = self._epoch + 1, 0
            return []
        if row.name == "retract":
            number = self._keyed.get(str(about))
            return [] if number is None else [ft.Retract(number=number)]
        if word == "dealer":
            return [self._dealer()]
        if isinstance(about, tuple):
            swapped = word == "misplaced"
            return [_swap(about) if swapped else KpBoxes(boxes=about)]
        return _about_box(word, more, box)

    def _dealer(self) -> Act:
        self._dealers += 1
        return KpDealer(dealer=f"d{self._dealers}")

    def _key(self, act: Act, name: str = "") -> tuple[int, ...]:
        role: Role = "dealer" if act.act.startswith("kp.") or act.act == "retract" else "supervisor"
        said = self._step(InputLogged(role=role, terminal="t1", person="p1", input_id="i1", as_of=None, act=act), "t1")
        self._keyed[name] = self._number
        return said

    def _step(
        self,
        data: DeviceEvent | InputLogged | TableEvent,
        source: str,
        faces: tuple[int, ...] = (),
        *,
        bit: bool | None = None,
        brings: int = 0,
    ) -> tuple[int, ...]:
        if self._number == 0 and self._epoch > 1:
            self._enter(_OPENED, "field", (), bit=None)
        entry = self._enter(data, source, faces, bit=bit)
        for at in range(brings):
            self._cards += 1
            self._of[entry, self._number, at] = self._cards
        said = self._said
        public = [(one.epoch, one.event, one.index if isinstance(one, RevealDue) else 0) for one in said]
        return tuple([self._of[place] for place in public if place in self._of])

    def _enter(
        self, data: DeviceEvent | InputLogged | TableEvent, source: str, faces: tuple[int, ...], *, bit: bool | None
    ) -> str:
        self._number += 1
        self._rows += 1
        at = self._rows * _PACE_MS
        epoch = f"e{self._epoch}"
        self._state, said = step(
            self._state, LogEntry(epoch, self._number, at, _START_MS + at, source, data, faces, bit)
        )
        self._said = [one for one in said if isinstance(one, RevealDue | AnswerDue)]
        return epoch
