"""What the floorperson and the supervisor keyed: decks, openings, inspections, tens, notices, overrides."""

from typing import Final

from pitwarden_client.events.card_faces import is_ten
from pitwarden_client.events.floor import (
    Ack,
    FloorAct,
    FtCardRemoved,
    FtConfirmed,
    FtDeckOpened,
    FtDeckReturned,
    FtDeckVerified,
    FtDeviceInstalled,
    FtDeviceRemoved,
    FtInspect,
    FtNotified,
    FtOpening,
    FtReaderVisible,
    FtRecut,
    FtSettleNote,
    FtTableClose,
    FtTableOpen,
    FtTenConfirmed,
    FtTenDestroyed,
    FtTenRefuted,
    Override,
    Refute,
)

from pitwarden.rules.evaluation.craps import Dice
from pitwarden.rules.frozen import replace
from pitwarden.rules.state.equipment import Deck
from pitwarden.rules.state.round import Draw
from pitwarden.rules.state.state import Case, State, put_deck, put_device, refuse, say, tell
from pitwarden.rules.transitions.draws import not_found
from pitwarden.rules.transitions.reader import unusable

_UNKNOWN: Final = "No such irregularity is open: use the reference that the state shows."
_DROPPED: Final = frozenset({"refuted", "withdrawn"})
MOST_SETS: Final = 63
"""How many openings of sealed sets are remembered, besides the last."""

MISREAD: Final = -1
"""The face of a card that the shoe called a 10, or a joker, and that is none: unknown."""


def moved(state: State, act: FloorAct) -> State:  # noqa: C901, PLR0912  one line per key: a dispatch
    """`state` after a floor input."""
    match act:
        case FtTableOpen() | FtTableClose():
            opened = isinstance(act, FtTableOpen)
            state = replace(state, table=replace(state.table, open=opened), dice=Dice() if opened else state.dice)
            return say(state, "secured") if (act.secured if isinstance(act, FtTableOpen) else act.locked) else state
        case FtDeckOpened():
            deck = Deck(act.deck, act.colour or _colour(state, act.deck), state.utc_ms, verified=state.round.number)
            if act.set_id is not None:
                state = replace(state, table=replace(state.table, sets=(*state.table.sets[-MOST_SETS:], act.set_id)))
            return say(put_deck(state, deck), f"opened:{act.deck}", f"gone:{act.deck}")
        case FtOpening():
            return _opening(state, act)
        case FtDeckVerified() if act.count not in {None, state.setup.profile.total}:
            return state
        case FtDeckVerified():
            deck = replace(state.deck(act.deck), verified=state.round.number)
            deck = replace(deck, opening="table") if deck.opening == "bad" else deck
            return say(replace(put_deck(state, deck), unjudged=""), f"verified:{act.deck}")
        case FtDeckReturned():
            return _returned(state, act.deck)
        case FtInspect():
            return _inspected(state, act)
        case FtDeviceRemoved() | FtDeviceInstalled():
            return _placed(state, act.device, on_table=isinstance(act, FtDeviceInstalled))
        case FtTenConfirmed():
            return say(state, "ten_confirmed")
        case FtTenDestroyed():
            shoe = replace(state.shoe, tens_waiting=state.shoe.tens_waiting[1:])
            return say(replace(state, shoe=shoe), "ten_destroyed")
        case FtTenRefuted():
            return _refuted(state)
        case FtRecut():
            return _recut(state)
        case FtReaderVisible():
            device = next((one for one in state.devices if one.kind == "reader"), None)
            made = state if device is None else put_device(state, replace(device, visible=act.visible))
            return say(made, "visible_told")
        case FtNotified():
            return say(state, "notified")
        case FtCardRemoved():
            return say(state, "card_removed")
        case FtSettleNote():
            return _ruled(state, act.irregularity, "noted")
        case FtConfirmed():
            return _ruled(state, act.irregularity, "confirmed")
        case Refute():
            return _refute(state, act.irregularity)
        case Ack():
            known = any(case.live and case.said.ref == act.irregularity for case in state.cases)
            return say(state, f"ack:{act.irregularity}") if known else refuse(state, _UNKNOWN)
        case Override():
            table = replace(state.table, overridden=True, overrides=state.table.overrides + 1)
            return replace(state, table=table)
        case _:
            return state


def refuted_ten(state: State, row: str) -> State:
    """`state` without the 10 of the log row `row`: it was misread, and is the next card (A9-6, 36.14(b)).

    One that was destroyed meanwhile counts no more; it stays out of the pack.
    """
    shoe = state.shoe
    card = next((one for one in shoe.tens_waiting if one.row == row), None)
    if card is None:
        return replace(state, shoe=replace(shoe, tens=max(0, shoe.tens - 1)))
    waiting = tuple(one for one in shoe.tens_waiting if one != card)
    card = replace(card, face=MISREAD) if is_ten(card.face) else card  # keyed by mistake: the shoe read it well
    shoe = replace(shoe, tens=shoe.tens - 1, strange=shoe.strange - 1, tens_waiting=waiting)
    state = say(replace(state, shoe=shoe), f"ten_refuted:{row}")
    return not_found(state, card)


def _colour(state: State, ident: str) -> str | None:
    return next((deck.colour for deck in state.setup.decks if deck.ident == ident), None)


def _opening(state: State, act: FtOpening) -> State:
    old = state.deck(act.deck)
    out = [case.finding.deck for case in state.cases if case.live and "DECK_OUT" in case.said.verdicts]
    if act.deck in out and (old.removed or old.opened_ms is None):
        return refuse(state, f"Deck {act.deck} had to leave the table: open its replacement first (ft.deck_opened).")
    rule = state.setup.profile.rule("opening_tens")
    good = rule is None or str(act.tens_removed) in rule.words("allowed")
    shuffled = good and act.path == "preshuffled"
    deck = replace(old, opening=act.path if good else "bad", shuffled=shuffled, by_hand=shuffled)
    deck = replace(deck, spread=old.spread and not shuffled)
    state = put_deck(state, replace(deck, verified=state.round.number, removed=False))
    if shuffled and state.shoe.counted == act.deck != state.shoe.deck:  # of these cards none was drawn
        state = replace(state, shoe=replace(state.shoe, counted=""))
    if not good:
        return say(state, f"bad_opening:{act.deck}")
    gone = next((one for one in out if one and one != act.deck and old.opening == "" and old.opened_ms), None)
    return say(state, f"opening:{act.deck}", *([f"opening:{gone}"] if gone else []))


def _returned(state: State, ident: str) -> State:
    table = state.table
    if table.rack == ident:
        table = replace(table, rack="")
    if table.shuffled == ident:
        table = replace(table, shuffled="")
    decks = tuple(deck for deck in state.decks if deck.ident != ident)
    return say(replace(state, decks=decks, table=table), f"returned:{ident}", f"gone:{ident}")


def _inspected(state: State, act: FtInspect) -> State:
    device = state.device(act.device)
    if device is None:
        return refuse(state, f"No device called {act.device} is configured at this table.")
    day = state.table.day if act.ok else device.inspected
    state = put_device(state, replace(device, inspected=day, failed=not act.ok))
    if not act.ok:
        return say(state, f"failed:{act.device}")
    state = say(state, f"inspected:{act.device}")
    return state if state.round.open else say(state, f"inspected_idle:{act.device}")


def _placed(state: State, ident: str, *, on_table: bool) -> State:
    device = next(one for one in state.devices if one.ident == ident)
    made = replace(device, on_table=on_table, deck="", busy=False, inspected=-1)
    if device.kind == "shoe" and not on_table:
        state = replace(state, shoe=replace(state.shoe, deck=""))
    if device.kind == "reader":
        state = unusable(state)
    return say(put_device(state, made), f"installed:{ident}" if on_table else f"removed:{ident}")


def _case(state: State, ref: str) -> Case | None:
    return next((case for case in state.cases if case.live and case.said.ref == ref), None)


def _ruled(state: State, ref: str, ruling: str) -> State:
    case = _case(state, ref)
    if case is None:
        return refuse(state, _UNKNOWN)
    if not any(ruling in item.split("|") for item in case.awaits):
        what = "A note" if ruling == "noted" else "A confirmation"
        return refuse(state, f"{what} does not clear {case.said.catalogue}; what does: {case.said.clears}"[:500])
    return say(state, f"{ruling}:{ref}")


def _refute(state: State, ref: str) -> State:
    said = (case for case in state.cases if case.said.ref == ref and case.said.status not in _DROPPED)
    case = next(said, None)
    if case is None:
        return refuse(state, _UNKNOWN)
    if not case.finding.sensor:
        return refuse(state, f"{case.said.catalogue} rests on no sensor: it cannot be refuted.")
    if "DECK_OUT" in case.said.verdicts and case.finding.deck:
        state = _stays(state, case.finding.deck)
    kind, _, row = case.finding.key.partition(":")
    shoe = state.shoe
    if kind == "ten":
        return say(refuted_ten(state, row), f"refute:{ref}")
    if kind == "face_up" and shoe.ups:
        state = replace(state, shoe=replace(shoe, ups=shoe.ups - 1))
    if kind in {"face_up", "joker"} and shoe.last is not None and shoe.last.row == row:
        state = _no_found_one(state, shoe.last)
    return say(state, f"refute:{ref}")


def _no_found_one(state: State, card: Draw) -> State:
    """`state` with the last card, called face up or a joker, as the next one; no card follows it yet."""
    shoe = state.shoe
    if shoe.last_fate == "joker":
        return not_found(replace(state, shoe=replace(shoe, strange=shoe.strange - 1)), replace(card, face=MISREAD))
    return not_found(state, card) if shoe.last_fate == "up" else state


def _stays(state: State, ident: str) -> State:
    """`state` with a deck at the table that the shuffler counted wrongly, shuffled by that cycle unless one goes on."""
    again = any(device.busy and device.deck == ident for device in state.devices)
    known = [deck for deck in state.decks if deck.ident == ident]
    for deck in known:
        shuffled = state.table.shuffled == ident and not again
        state = put_deck(state, replace(deck, removed=False, shuffled=shuffled))
    return state


def _refuted(state: State) -> State:
    if not state.shoe.tens_waiting:
        return refuse(state, "No 10 waits to be confirmed or refuted.", "stray_ten")
    state = refuted_ten(state, state.shoe.tens_waiting[-1].row)
    if state.now.fate in {"", "burn"}:  # picked up with its round, or burned as it was to be
        return state
    return tell(state, "stray_ten", "refuted", "The card is no 10: it is used as the next card.")


def _recut(state: State) -> State:
    shoe, deck = state.shoe, state.deck(state.shoe.deck or state.table.shuffled)
    if shoe.drawn or not deck.cut:  # unless it is the other deck that was cut, and waits
        waits = (one for one in state.decks if one.cut and one.by_hand and one.shuffled and one.ident != shoe.counted)
        other = next(waits, None)
        if other is None and shoe.drawn:
            return refuse(state, "Cards have been dealt since the cut: no recut.", "recut")
        if other is None and state.setup.keyed(("kp.cut",)):
            return refuse(state, "The cards have not been cut: there is nothing to recut.", "recut")
        deck = other or deck
    return tell(put_deck(state, replace(deck, cut=False)), "recut", "ordered", "Recut the cards before dealing.")
