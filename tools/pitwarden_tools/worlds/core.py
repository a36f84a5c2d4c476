"""The rules core under the oracle: the same rows, and the cards and answers that it publishes."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pitwarden.rules import (
    AnswerDue,
    DeckSetup,
    DeviceSetup,
    LogEntry,
    RevealDue,
    RuleOutput,
    RulesState,
    TableSetup,
    initial_state,
    load_profile,
    step,
)
from pitwarden.rules.profile.library import default_decks
from pitwarden_client.events import dealer as kp
from pitwarden_client.events import floor as ft
from pitwarden_client.events.card_faces import Sealed
from pitwarden_client.events.dealer_play import KpDealer
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
from pitwarden_client.events.inputs import Act, InputLogged
from pitwarden_client.events.table import EpochOpened, TableEvent
from pitwarden_tools.worlds.acts import acts_of
from pitwarden_tools.worlds.games import WorldGame
from pitwarden_tools.worlds.rows import WorldRow

if TYPE_CHECKING:
    from pitwarden_client.events.base import Role

_START_MS: Final = 1_767_636_000_000
_SEALED: Final = Sealed(key="k", box="", commitment="0" * 64)
_OPENED: Final = EpochOpened(parent=None, signer="0" * 64, signature="0" * 88)


class PublishingCore:
    """A table of `game` and its judge.

    `without`: acts that this table does not key; `pace_ms`: time between two rows; `observe` is called
    with the outputs and the state of each row.
    """

    def __init__(
        self,
        game: WorldGame,
        *,
        stacks: bool = False,
        without: frozenset[str] = frozenset(),
        pace_ms: int = 2_000,
        observe: Callable[[tuple[RuleOutput, ...], RulesState], None] = lambda _outputs, _state: None,
    ) -> None:
        self._observe, self._pace_ms = observe, pace_ms
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

    def advance(self, row: WorldRow) -> tuple[int, ...]:
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
        """Return the inputs, as the core receives them; a new epoch is no input, and begins with the next row."""
        match row.name:
            case "epoch":
                self._epoch, self._number = self._epoch + 1, 0
                return []
            case "retract":
                number = self._keyed.get(str(row.about))
                return [] if number is None else [ft.Retract(number=number)]
            case "dealer":
                return [self._dealer()]
            case _:
                return acts_of(row)

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
        at = self._rows * self._pace_ms
        epoch = f"e{self._epoch}"
        self._state, said = step(
            self._state, LogEntry(epoch, self._number, at, _START_MS + at, source, data, faces, bit)
        )
        self._observe(said, self._state)
        self._said = [one for one in said if isinstance(one, RevealDue | AnswerDue)]
        return epoch
