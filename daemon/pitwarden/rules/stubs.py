"""Arithmetic of the stub count (51.7(e)): what the stub should have, and how many rounds a deck went uncounted."""

from pitwarden.rules.layout import template
from pitwarden.rules.profile.profile import Rule
from pitwarden.rules.state.state import State


def expected_stub(state: State) -> int | None:
    """How many cards the stub must have by the boxes that were keyed, else by the cards that left the shoe, or None.

    Where a round became void in its deal, by the cards that left the shoe.
    """
    plan = template(state.setup, state.round)
    if plan is not None and state.round.over and len(state.round.dealt) < len(plan.slots):
        plan = None
    untouched = not (state.round.open or state.table.mode == "hand") or not (state.round.dealt or state.round.marks)
    if untouched and state.shoe.drawn == 0 and state.shoe.deck:
        return state.setup.profile.total
    if plan is None and (state.table.mode == "hand" or not state.shoe.drawn):
        return None
    rule = stub_rule(state)
    out = state.shoe.drawn if plan is None else len(plan.slots)
    return state.setup.profile.total - out - (rule.number("by_hand") if rule else 0)


def apart(state: State) -> int:
    """How many cards lie in no hand: drawn after the whole deal, and nobody's yet (51.12(a))."""
    return len(state.round.extras) + len(state.round.parked) if state.shoe.drawn else 0


def stub_agrees(state: State, count: int) -> bool:
    """Whether a stub of `count` cards makes the deck whole; a card drawn in error may have been put back on it."""
    wanted = expected_stub(state)
    return wanted is not None and wanted - count in {0, apart(state)}


def hands_dealt(state: State) -> int:
    """How many hands a count of them names: each box's, and the dealer's where one is dealt with them."""
    return len(state.round.active) + any(one.to == "all" for one in state.setup.profile.passes)


def cards_found(state: State, counts: tuple[int, ...]) -> int | None:
    """How many cards stub and hands make, with those that lie apart where they make the deck whole; None: no stub."""
    if state.round.stub is None:
        return None
    found, lying = state.round.stub + sum(counts), apart(state)
    return found + lying if found + lying == state.setup.profile.total else found


def in_rotation(state: State) -> list[str]:
    """The decks in use at the table."""
    return [deck.ident for deck in state.decks if not deck.removed and deck.opening not in {"", "bad"}]


def stub_rule(state: State) -> Rule | None:
    """The stub-count clause for the way in which cards are dealt now; hand dealing has none (C-10)."""
    mode = state.table.mode
    if mode == "hand" and state.setup.policy.hand_mode_counts:
        mode = "manual_shoe"
    return state.setup.profile.rule(f"stub_{mode}")


def rounds_uncounted(state: State, deck: str) -> int:
    """How many rounds, with the one that is being dealt, lie behind the deck's last count."""
    started = state.round.number if state.round.bets_closed or state.round.dealt else state.round.number - 1
    return started - state.deck(deck).verified
