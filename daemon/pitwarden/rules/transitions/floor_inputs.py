"""Inputs of the floorperson and the supervisor: decks, inspections, stray 10s, notices, rulings, overrides."""

from typing import Final

from pitwarden.rules.evaluation.craps import CrapsState
from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import Fact, case_fact, deck_fact, device_fact, fact, ten_refuted
from pitwarden.rules.profile.refusals import refusal
from pitwarden.rules.queries.reader import is_reader_out
from pitwarden.rules.state.cards import DrawnCard
from pitwarden.rules.state.equipment import DeckState
from pitwarden.rules.state.state import (
    IrregularityRecord,
    RulesState,
    add_fact,
    add_notice,
    refuse_input,
    replace_deck,
    replace_device,
)
from pitwarden.rules.transitions.draws import release_found_card
from pitwarden.rules.transitions.reader import mark_reader_unusable
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
    FtTenDestroyed,
    FtTenRefuted,
    Override,
    Refute,
)

ROWS: Final = declared(__name__, decides=("reader_failure", "recut", "stray_ten"), reads=("opening_tens",))

_DROPPED: Final = frozenset({"refuted", "withdrawn"})
MOST_SETS: Final = 63
"""Openings of sealed sets that are remembered, in addition to the latest."""

MISREAD: Final = -1
"""Face of a card that the shoe reported as a 10 or a joker although it is neither: unknown."""


def apply_floor_input(state: RulesState, act: FloorAct) -> RulesState:  # noqa: C901, PLR0912  one line per key: a dispatch
    """Return `state` after an input of the floorperson or the supervisor that `input_refusal` accepted."""
    match act:
        case FtTableOpen() | FtTableClose():
            opened = isinstance(act, FtTableOpen)
            state = replace(state, table=replace(state.table, open=opened), dice=CrapsState() if opened else state.dice)
            return (
                add_fact(state, fact("secured"))
                if (act.secured if isinstance(act, FtTableOpen) else act.locked)
                else state
            )
        case FtDeckOpened():
            deck = DeckState(
                act.deck, act.colour or _colour(state, act.deck), state.utc_ms, verified=state.round.number
            )
            if act.set_id is not None:
                state = replace(state, table=replace(state.table, sets=(*state.table.sets[-MOST_SETS:], act.set_id)))
            return add_fact(replace_deck(state, deck), deck_fact("opened", act.deck), deck_fact("gone", act.deck))
        case FtOpening():
            return _opening(state, act)
        case FtDeckVerified() if act.count not in {None, state.setup.profile.total}:
            return state
        case FtDeckVerified():
            deck = replace(state.deck(act.deck), verified=state.round.number)
            deck = replace(deck, opening="table") if deck.opening == "bad" else deck
            return add_fact(replace(replace_deck(state, deck), unjudged=""), deck_fact("verified", act.deck))
        case FtDeckReturned():
            return _returned(state, act.deck)
        case FtInspect():
            return _inspected(state, act)
        case FtDeviceRemoved() | FtDeviceInstalled():
            return _placed(state, act.device, on_table=isinstance(act, FtDeviceInstalled))
        case FtTenDestroyed():
            shoe = replace(state.shoe, tens_waiting=state.shoe.tens_waiting[1:])
            return add_fact(replace(state, shoe=shoe), fact("ten_destroyed"))
        case FtTenRefuted():
            return _refuted(state)
        case FtRecut():
            return _recut(state)
        case FtReaderVisible():
            device = next((one for one in state.devices if one.kind == "reader"), None)
            made = state if device is None else replace_device(state, replace(device, visible=act.visible))
            return add_fact(made, fact("visible_told"))
        case FtNotified():
            return add_fact(state, fact("notified"))
        case FtCardRemoved():
            return add_fact(state, fact("card_removed"))
        case FtSettleNote():
            return _ruled(state, act.irregularity, case_fact("noted", act.irregularity))
        case FtConfirmed():
            return _ruled(state, act.irregularity, case_fact("confirmed", act.irregularity))
        case Refute():
            return _refute(state, act.irregularity)
        case Ack():
            known = any(case.live and case.said.ref == act.irregularity for case in state.cases)
            return (
                add_fact(state, case_fact("ack", act.irregularity))
                if known
                else refuse_input(state, refusal("unknown_irregularity"))
            )
        case Override():
            table = replace(state.table, overridden=True, overrides=state.table.overrides + 1)
            return replace(state, table=table)
        case _:
            return state


def refute_ten(state: RulesState, row: str) -> RulesState:
    """Return `state` without the 10 of the log row `row`: it was misread, and is the next card (A9-6, 36.14(b)).

    A card that was destroyed meanwhile is no longer counted as a 10; it stays out of the deck.
    """
    shoe = state.shoe
    card = next((one for one in shoe.tens_waiting if one.row == row), None)
    if card is None:
        return replace(state, shoe=replace(shoe, tens=max(0, shoe.tens - 1)))
    waiting = tuple(one for one in shoe.tens_waiting if one != card)
    # A 10 that was only keyed, and that the shoe read as another card, keeps the face that the shoe read.
    card = replace(card, face=MISREAD) if is_ten(card.face) else card
    shoe = replace(shoe, tens=shoe.tens - 1, strange=shoe.strange - 1, tens_waiting=waiting)
    state = add_fact(replace(state, shoe=shoe), ten_refuted(row))
    return release_found_card(state, card)


def _colour(state: RulesState, ident: str) -> str | None:
    return next((deck.colour for deck in state.setup.decks if deck.ident == ident), None)


def _opening(state: RulesState, act: FtOpening) -> RulesState:
    old = state.deck(act.deck)
    out = [case.finding.deck for case in state.cases if case.live and "DECK_OUT" in case.said.verdicts]
    if act.deck in out and (old.removed or old.opened_ms is None):
        return refuse_input(state, refusal("replacement_first", deck=act.deck))
    rule = ROWS(state, "opening_tens")
    good = rule is None or str(act.tens_removed) in rule.words("allowed")
    shuffled = good and act.path == "preshuffled"
    deck = replace(old, opening=act.path if good else "bad", shuffled=shuffled, by_hand=shuffled)
    deck = replace(deck, spread=old.spread and not shuffled)
    state = replace_deck(state, replace(deck, verified=state.round.number, removed=False))
    # None of the new cards was drawn: the shoe's counters are about the cards before.
    if shuffled and state.shoe.counted == act.deck != state.shoe.deck:
        state = replace(state, shoe=replace(state.shoe, counted=""))
    if not good:
        return add_fact(state, deck_fact("bad_opening", act.deck))
    gone = next((one for one in out if one and one != act.deck and old.opening == "" and old.opened_ms), None)
    return add_fact(state, deck_fact("opening", act.deck), *([deck_fact("opening", gone)] if gone else []))


def _returned(state: RulesState, ident: str) -> RulesState:
    table = state.table
    if table.rack == ident:
        table = replace(table, rack="")
    if table.shuffled == ident:
        table = replace(table, shuffled="")
    decks = tuple(deck for deck in state.decks if deck.ident != ident)
    return add_fact(replace(state, decks=decks, table=table), deck_fact("returned", ident), deck_fact("gone", ident))


def _inspected(state: RulesState, act: FtInspect) -> RulesState:
    device = state.device(act.device)
    if device is None:
        return refuse_input(state, refusal("no_device", device=act.device))
    day = state.table.day if act.ok else device.inspected
    state = replace_device(state, replace(device, inspected=day, failed=not act.ok))
    if not act.ok:
        return add_fact(state, device_fact("failed", act.device))
    state = add_fact(state, device_fact("inspected", act.device))
    if state.round.open and device.kind == "reader" and (is_reader_out(state) or state.round.play.reader.failed):
        return add_notice(state, ROWS(state, "reader_failure"), "in_mid_round")
    return state if state.round.open else add_fact(state, device_fact("inspected_idle", act.device))


def _placed(state: RulesState, ident: str, *, on_table: bool) -> RulesState:
    device = next(one for one in state.devices if one.ident == ident)
    # 1.19(g) asks for one inspection at the beginning of each gaming day. A reader that was out of use when it left is
    # used again only after an inspection (C-29).
    day = -1 if device.kind == "reader" and is_reader_out(state) else device.inspected
    made = replace(device, on_table=on_table, deck="", busy=False, inspected=day)
    if device.kind == "shoe" and not on_table:
        state = replace(state, shoe=replace(state.shoe, deck=""))
    if device.kind == "reader":
        state = mark_reader_unusable(state)
    return add_fact(
        replace_device(state, made), device_fact("installed", ident) if on_table else device_fact("removed", ident)
    )


def _case(state: RulesState, ref: str) -> IrregularityRecord | None:
    return next((case for case in state.cases if case.live and case.said.ref == ref), None)


def _ruled(state: RulesState, ref: str, ruling: Fact) -> RulesState:
    case = _case(state, ref)
    if case is None:
        return refuse_input(state, refusal("unknown_irregularity"))
    if not any(one.kind == ruling.kind for step in case.awaits for one in step):
        clause, clears = case.said.catalogue, case.said.clears
        if ruling.kind == "noted":
            return refuse_input(state, refusal("note_does_not_clear", clause=clause, names=clears))
        return refuse_input(state, refusal("confirmation_does_not_clear", clause=clause, names=clears))
    return add_fact(state, ruling)


def _refute(state: RulesState, ref: str) -> RulesState:
    said = (case for case in state.cases if case.said.ref == ref and case.said.status not in _DROPPED)
    case = next(said, None)
    if case is None:
        return refuse_input(state, refusal("unknown_irregularity"))
    if not case.finding.sensor:
        return refuse_input(state, refusal("no_sensor", clause=case.said.catalogue))
    if "DECK_OUT" in case.said.verdicts and case.finding.deck:
        state = _stays(state, case.finding.deck)
    kind, _, row = case.finding.key.partition(":")
    shoe = state.shoe
    if kind == "ten":
        return add_fact(refute_ten(state, row), case_fact("refute", ref))
    if kind == "face_up" and shoe.ups:
        state = replace(state, shoe=replace(shoe, ups=shoe.ups - 1))
    if kind in {"face_up", "joker"} and shoe.last is not None and shoe.last.row == row:
        state = _no_found_one(state, shoe.last)
    elif kind == "face_up" and state.round.void and shoe.up_card is not None and shoe.up_card.row == row:
        # The dealer dealt on in the round that this card had voided: it lies where it was dealt, before the others.
        state = release_found_card(state, shoe.up_card)
    return add_fact(state, case_fact("refute", ref))


def _no_found_one(state: RulesState, card: DrawnCard) -> RulesState:
    """Return `state` with the last card, reported face up or as a joker, used as the next card."""
    shoe = state.shoe
    if shoe.last_fate == "joker":
        return release_found_card(
            replace(state, shoe=replace(shoe, strange=shoe.strange - 1)), replace(card, face=MISREAD)
        )
    return release_found_card(state, card) if shoe.last_fate == "up" else state


def _stays(state: RulesState, ident: str) -> RulesState:
    """Return `state` with a deck at the table that the shuffler had counted wrongly.

    The deck counts as shuffled by that cycle, unless another cycle of it is running.
    """
    again = any(device.busy and device.deck == ident for device in state.devices)
    known = [deck for deck in state.decks if deck.ident == ident]
    for deck in known:
        shuffled = state.table.shuffled == ident and not again
        state = replace_deck(state, replace(deck, removed=False, shuffled=shuffled))
    return state


def _refuted(state: RulesState) -> RulesState:
    if not state.shoe.tens_waiting:
        return refuse_input(state, refusal("no_ten_waits"), ROWS(state, "stray_ten"))
    state = refute_ten(state, state.shoe.tens_waiting[-1].row)
    # The card was picked up with its round, or burned as it was due to be: nothing is dealt.
    if state.now.fate in {"", "burn"}:
        return state
    return add_notice(state, ROWS(state, "stray_ten"), "refuted")


def _recut(state: RulesState) -> RulesState:
    shoe, deck = state.shoe, state.deck(state.shoe.deck or state.table.shuffled)
    # Another deck may have been cut and be waiting: the recut is then of that deck.
    if shoe.drawn or not deck.cut:
        waits = (one for one in state.decks if one.cut and one.by_hand and one.shuffled and one.ident != shoe.counted)
        other = next(waits, None)
        if other is None and shoe.drawn:
            return refuse_input(state, refusal("dealt_since_the_cut"), ROWS(state, "recut"))
        if other is None and state.setup.keyed(("kp.cut",)):
            return refuse_input(state, refusal("not_cut"), ROWS(state, "recut"))
        deck = other or deck
    return add_notice(replace_deck(state, replace(deck, cut=False)), ROWS(state, "recut"), "ordered")
