"""Events of the dealing shoe (load, draw, stack, cutting card, end, unload), and the offer of the cut.

The cut is offered to the box for which the cutting card came, or to the farthest right, then onward (36.4(d), 2B.4(d)).
"""

from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import deck_fact, fact
from pitwarden.rules.profile.refusals import refusal
from pitwarden.rules.queries.layout import cards_missing, deal_template
from pitwarden.rules.state.cards import DrawnCard
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.equipment import DeckState, ShoeState
from pitwarden.rules.state.state import (
    RulesState,
    add_fact,
    add_notice,
    refuse_input,
    replace_deck,
    replace_device,
)
from pitwarden.rules.transitions.draws import apply_draw, begin_round
from pitwarden_client.events.dealer_irregularities import KpRefuse
from pitwarden_client.events.device import ShoeCard, ShoeCut, ShoeEmpty, ShoeFault, ShoeLoaded, ShoeStack, ShoeUnloaded

ROWS: Final = declared(__name__, decides=("cutting_card",), reads=("cut_offer",))


def next_box(state: RulesState) -> int:
    """Return the box that the next card is for; 0 when it is for the dealer or unknown."""
    plan, played = deal_template(state.setup, state.round), state.round
    if not played.open or plan is None:
        return 0
    if len(played.deal.dealt) < len(plan.slots):
        target = plan.slots[len(played.deal.dealt)].target
    else:
        target = played.play.asked[0] if played.play.asked else "dealer"
    return 0 if target == "dealer" else int(target.removeprefix("box").rstrip("bcd"))


def deck_due_for_cut(state: RulesState) -> DeckState | None:
    """Return the deck that must be cut now: shuffled by a person or preshuffled, not cut, no card of it dealt."""
    dealt = state.shoe.counted if state.shoe.drawn else ""
    waits = (deck for deck in state.decks if deck.by_hand and deck.shuffled and not deck.cut and deck.ident != dealt)
    return next(waits, None)


def cut_offered_to(state: RulesState, deck: DeckState) -> str:
    """Return whom the cut is offered to now: `box3`, `first_player` or `dealer`."""
    rule, played = ROWS(state, "cut_offer"), state.round
    if not played.deal.boxes and not deck.cut_refused:
        return "first_player"
    boxes = played.deal.boxes or tuple(range(1, state.setup.positions + 1))
    first = state.shoe.cut_box if state.shoe.cut_box in boxes else max(boxes)
    first = first if played.deal.boxes else deck.cut_refused[0]
    order: tuple[int, ...] = (first,)
    if rule is not None and rule.param("passes_on", default=False):
        order = (*(box for box in boxes if box >= first), *(box for box in boxes if box < first))
    left = [box for box in order if box not in deck.cut_refused]
    return f"box{left[0]}" if left else "dealer"


def apply_cut_refused(state: RulesState, act: KpRefuse) -> RulesState:
    """Return `state` with the cut refused by a box; the input itself is refused where no cut is due."""
    deck = deck_due_for_cut(state)
    if deck is None:
        return refuse_input(state, refusal("no_cut_offered"))
    return replace_deck(state, replace(deck, cut_refused=(*deck.cut_refused, act.box)))


ShoeEvent = ShoeCard | ShoeCut | ShoeEmpty | ShoeFault | ShoeLoaded | ShoeStack | ShoeUnloaded
UNREAD = -1
"""Face of a card that the shoe does not read."""


def apply_shoe_event(state: RulesState, entry: LogEntry, event: ShoeEvent) -> RulesState:
    """Return `state` after an event of the dealing shoe."""
    match event:
        case ShoeCard():
            face = entry.faces[0] if entry.faces else UNREAD
            state = apply_draw(_from(state, entry), entry, 0, face, up=event.up is True)
            return replace(state, shoe=replace(state.shoe, back=event.back)) if event.back else state
        case ShoeLoaded():
            return _loaded(state, entry, event)
        case ShoeStack():
            return _stack(_from(state, entry), entry, event)
        case ShoeCut():
            return _cut(state)
        case ShoeEmpty():
            return replace(state, shoe=replace(state.shoe, empty=True))
        case ShoeFault():
            return state
        case _:
            return add_fact(replace(state, shoe=replace(state.shoe, deck="", empty=False)), fact("unloaded"))


def _loaded(state: RulesState, entry: LogEntry, event: ShoeLoaded) -> RulesState:
    shoe = replace(state.shoe, deck=event.deck, empty=False)
    if not (state.completes(event.deck) or continues_shoe(state, event)):
        fresh = state.setup.burns and not (shoe.burn_due and shoe.drawn == 0)
        made = replace(new_shoe(state, event.deck), deck=event.deck, burn_due=fresh or shoe.burn_due, cut_box=0)
        unshuffled = shoe.counted == event.deck and not state.deck(event.deck).shuffled
        # Found cards count until a shuffle (C-22). Where shuffles by hand are not keyed, a load may follow one.
        if unshuffled and state.setup.keyed(("kp.manual_shuffle",)):
            made = replace(made, ups=shoe.ups, up_round=shoe.up_round, tens=shoe.tens)
        shoe = made
    state = replace(_from(state, entry), shoe=replace(shoe, automated=_automated(state, entry)))
    shuffler = state.present("shuffler")
    if shuffler is not None and shuffler.deck == event.deck and not shuffler.busy:
        state = replace_device(state, replace(shuffler, deck=""))
    if state.round.live and len(state.round.deal.dealt) <= state.round.deal.carried:
        state = replace(state, round=replace(state.round, deck=event.deck))
    if state.table.rack == event.deck:
        state = replace(state, table=replace(state.table, rack=""))
    return add_fact(state, deck_fact("loaded", event.deck))


def continues_shoe(state: RulesState, event: ShoeLoaded) -> bool:
    """Return whether a load is not of a full set, so that counters continue (36.7(c)).

    It is a stack of the set, or the cards that were taken out in the middle of the shoe.
    """
    old = state.shoe
    if stacks_go_in(state, event):
        return True
    if old.counted != event.deck or old.drawn == 0 or any(device.deck == event.deck for device in state.devices):
        return False
    left = state.setup.profile.total - old.drawn + old.strange
    return state.round.open if event.count is None else event.count == left


def stacks_go_in(state: RulesState, event: ShoeLoaded) -> bool:
    """Return whether the shuffled discards go between the cards still in the shoe (2B.1, "Bart Carter shuffle")."""
    within = state.shoe.deck == event.deck and state.shoe.drawn > 0
    return state.setup.policy.bart_carter and within and event.count != state.setup.profile.total


def new_shoe(state: RulesState, deck: str) -> ShoeState:
    """Return the shoe with its counters at zero for `deck`; stray 10s that are not destroyed yet remain."""
    old = state.shoe
    return replace(
        old, counted=deck, back="", drawn=0, strange=0, burn=None, carried=(), cut_round=None, empty=False,
        partial=False, ups=0, cuts=0, put_back=0, racked=0, sat_out=(),
        up_round=-1, up_card=None, tens=0, last=None, last_fate="", seen=(0,) * 54, shown=(0,) * 54,
    )  # fmt: skip


def _from(state: RulesState, entry: LogEntry) -> RulesState:
    device = state.device(entry.source)
    return state if device is None else replace_device(state, replace(device, since_ms=entry.log_ms))


def _automated(state: RulesState, entry: LogEntry) -> bool:
    device = state.device(entry.source)
    return state.table.mode == "auto_shoe" or (device is not None and device.automated)


def _stack(state: RulesState, entry: LogEntry, event: ShoeStack) -> RulesState:
    state = begin_round(state)
    played = state.round
    # A stack is placed even where faces are missing: its number of cards decides whether the deal is complete.
    cards = tuple(
        DrawnCard(entry.epoch, entry.number, at, entry.log_ms, entry.faces[at] if at < len(entry.faces) else UNREAD)
        for at in range(event.count)
    )
    seen = list(state.shoe.seen)
    for card in cards:
        if 0 <= card.face < len(seen) - 1:
            seen[card.face] += 1
    whole = DrawnCard(entry.epoch, entry.number, 0, entry.log_ms, UNREAD)
    drawn_now = state.shoe.drawn + event.count
    shoe = replace(state.shoe, drawn=drawn_now, seen=tuple(seen), last=whole, last_fate="card")
    first = len(played.deal.dealt) <= played.deal.carried
    # The boxes may have been keyed before another deck was loaded.
    if first and state.shoe.deck:
        played = replace(played, deck=state.shoe.deck)
    if played.void:
        played = played.with_aside(cards)
    else:
        played = replace(
            played,
            deal=replace(played.deal, dealt=(*played.deal.dealt, *cards), stacks=(*played.deal.stacks, event.count)),
        )
    now = replace(state.now, facts=(*state.now.facts, fact("card")), fate="card", first=first)
    return replace(state, shoe=shoe, round=played, now=now)


def _cut(state: RulesState) -> RulesState:
    playing = state.round.number if state.round.open and not _perhaps_over(state) else state.round.number + 1
    cuts = state.shoe.cuts + 1
    # IB-02: of two cutting cards the configured one counts, and only its first appearance.
    if cuts < state.setup.policy.cutting_card or state.shoe.cut_round is not None:
        return replace(state, shoe=replace(state.shoe, cuts=cuts))
    state = replace(state, shoe=replace(state.shoe, cut_round=playing, cuts=cuts, cut_box=next_box(state)))
    return add_notice(state, ROWS(state, "cutting_card"), "reached")


def _perhaps_over(state: RulesState) -> bool:
    """Return whether the open round may be over: void, or completely dealt, and no end of rounds is keyed here."""
    whole = state.round.void or cards_missing(state.setup, state.round) == 0
    return whole and not state.setup.keyed(("kp.round_end",))
