"""Layout: the slot of each card of the initial deal, derived from the profile's passes, the active boxes and the keys.

No device senses where a card is put. A slot is certain only where the passes that have ended count right, and `guarded`
limits what a forgotten second card leaves certain.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.profile import GameProfile
from pitwarden.rules.setup.table_setup import TableSetup
from pitwarden.rules.state.cards import DrawnCard
from pitwarden.rules.state.round import RoundDeal, RoundState

COMMUNITY: Final = "community"
"""Target of the cards that all hands share."""
UNMARKED: Final = -1
"""Mark of a pass that no key of its own ended: the number of cards out at its end is unknown."""
SKIPPED: Final = -2
"""Mark of a pass whose own key did not come before the key of a later pass."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Place on the layout."""

    target: str
    """Hand that it belongs to: `dealer` or `box2`; `community` for the cards that all hands share."""
    card: int
    """Number of the card in that hand, from 1."""
    up: bool
    """True for a card that is dealt face up."""
    name: str = field(init=False, compare=False)
    """Name of the slot, such as `box2.1` or `dealer.2`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", f"{self.target}.{self.card}")


@dataclass(frozen=True, slots=True)
class DealTemplate:
    """Slots of an initial deal in the order of dealing."""

    slots: tuple[Slot, ...]
    ends: tuple[int, ...]
    """Number of slots that are filled when each pass has ended."""
    whose: Mapping[str, tuple[int, ...]]
    """Indices of `slots` for each target."""
    last: int
    """Index of the first slot of the last pass to the boxes where a hole card follows it, else the number of slots."""
    down: int
    """Number of slots of the boxes that are face down; where there are community cards, of all before the first."""


class _Derived(NamedTuple):
    """Consequences of the deal of a round."""

    deal: RoundDeal | None
    setup: TableSetup | None
    plan: DealTemplate | None
    missing: int | None
    """Number of cards that the deal still needs; None while the boxes are unknown."""
    sure: int
    """Number of dealt cards whose slot is certain."""


class _Latest:
    """Values derived last, with the frozen parts that it was derived from.

    A row asks for it some seven times, and mostly of the same deal. All of it stands in one tuple, so that threads that
    judge other tables cannot mix the parts.
    """

    __slots__ = ("of",)

    def __init__(self) -> None:
        self.of = _Derived(None, None, None, None, 0)


_LATEST: Final = _Latest()


def _derived(setup: TableSetup, deal: RoundDeal) -> _Derived:
    known = _LATEST.of
    if known[0] is deal and known[1] is setup:
        return known
    if deal.boxes:
        # A shoe that dispenses stacks deals hand by hand, whatever the house's order of manual dealing is.
        by_hands = bool(deal.stacks) or setup.policy.manual_deal == "hands"
        plan = _made(setup.profile, deal.boxes, deal.out, deal.late, deal.hole_out, deal.single, by_hands)
        out = len(deal.dealt)
        sure = 0 if deal.options else _certain(plan.ends, deal.marks, out)
        made = _Derived(deal, setup, plan, max(0, len(plan.slots) - out), sure)
    else:
        made = _Derived(deal, setup, None, None, 0)
    _LATEST.of = made
    return made


def deal_template(setup: TableSetup, played: RoundState) -> DealTemplate | None:
    """Return the deal that this round must have, None while its boxes are unknown."""
    return _derived(setup, played.deal)[2]


def placed_cards(setup: TableSetup, played: RoundState) -> tuple[tuple[Slot, DrawnCard], ...]:
    """Return the dealt cards with their slots, as far as both reach; cards keyed as misplaced are exchanged."""
    plan = deal_template(setup, played)
    return () if plan is None else tuple(zip(plan.slots, cards_as_laid(plan, played), strict=False))


def cards_of(setup: TableSetup, played: RoundState, target: str) -> tuple[tuple[Slot, DrawnCard], ...]:
    """Return the dealt cards of one hand (`dealer` or `box2`) with their slots."""
    return _of(deal_template(setup, played), played, target, len(played.deal.dealt))


def cards_of_each(
    setup: TableSetup, played: RoundState, targets: Iterable[str]
) -> tuple[tuple[tuple[Slot, DrawnCard], ...], ...]:
    """Return `cards_of` for each of `targets`, deriving the template once."""
    plan, out = deal_template(setup, played), len(played.deal.dealt)
    return tuple([_of(plan, played, target, out) for target in targets])


def draws_of_each(setup: TableSetup, played: RoundState, targets: Iterable[str]) -> tuple[tuple[DrawnCard, ...], ...]:
    """Return the dealt cards of each of `targets`, without their slots."""
    plan = deal_template(setup, played)
    if plan is None:
        return tuple([() for _ in targets])
    dealt, out = cards_as_laid(plan, played), len(played.deal.dealt)
    return tuple([tuple([dealt[at] for at in plan.whose.get(target, ()) if at < out]) for target in targets])


def certain_cards_of(setup: TableSetup, played: RoundState, target: str) -> tuple[tuple[Slot, DrawnCard], ...]:
    """Return the cards of one hand whose slot is certain, with their slots."""
    _, _, plan, _, sure = _derived(setup, played.deal)
    return _of(plan, played, target, min(sure, len(played.deal.dealt)))


def certain_cards(setup: TableSetup, played: RoundState) -> tuple[tuple[Slot, DrawnCard], ...]:
    """Return the dealt cards whose slot is certain, with their slots."""
    _, _, plan, _, sure = _derived(setup, played.deal)
    return () if plan is None or not sure else tuple(zip(plan.slots[:sure], cards_as_laid(plan, played), strict=False))


def guarded(setup: TableSetup, plan: DealTemplate, played: RoundState) -> int:
    """Return the index in draw order from which on each card of the deal may be the hole card.

    A second card that was forgotten is dealt after all others, before or after the hole card (36.14(h)), and its key
    may be late or missing. Then the hole card is one place ahead of its own, and one further for each such key. The
    number of cards does not distinguish that from a regular deal. Only a completed deal with the hole card last does:
    with a forgotten card it would be a second mistake in the same round.
    """
    total = len(plan.slots)
    if plan.last == total or (played.deal.laid == total and regular(setup, played)):
        return total
    # World: one second card was forgotten and its key is late, so the hole card is one place ahead of its slot.
    return max(plan.last, total - 2 - played.exceptions.one_cards)


def regular(setup: TableSetup, played: RoundState) -> bool:
    """Return whether no key contradicts a deal in its regular order.

    Where a forgotten second card has no key at this table, no such deal is ever known to be regular.
    """
    doubts = (
        played.exceptions.one_cards
        or played.deal.swaps
        or played.exceptions.burn_doubt
        or played.exceptions.found_doubt
    )
    return not doubts and setup.keyed(("kp.one_card",)) and "kp.one_card" in setup.profile.keys.acts


def cards_missing(setup: TableSetup, played: RoundState) -> int | None:
    """Return how many cards the initial deal still needs, None while the boxes are unknown."""
    return _derived(setup, played.deal)[3]


def next_stack(setup: TableSetup, played: RoundState) -> int:
    """Return how many cards the next stack of the deal has: those of a hand, or community cards behind the hands."""
    plan, out = deal_template(setup, played), len(played.deal.dealt)
    if plan is None or out >= len(plan.slots) or plan.slots[out].target != COMMUNITY:
        return setup.profile.hand_size
    return setup.profile.passes[next(at for at, end in enumerate(plan.ends) if out < end)].times


def swapped_cards(plan: DealTemplate, played: RoundState) -> tuple[tuple[Slot, Slot, DrawnCard], ...]:
    """Return the cards keyed as misplaced: the slot that each was dealt to, the keyed slot, and the card."""
    dealt = {draw.place: slot for slot, draw in zip(plan.slots, played.deal.dealt, strict=False)}
    moved = zip(plan.slots, cards_as_laid(plan, played), strict=False)
    return tuple([(dealt[draw.place], slot, draw) for slot, draw in moved if dealt[draw.place] != slot])


def all_dealt(setup: TableSetup, played: RoundState) -> bool:
    """Return whether the cards that are out are exactly those of the initial deal."""
    plan = deal_template(setup, played)
    return plan is not None and len(played.deal.dealt) + len(played.exceptions.extras) == len(plan.slots)


def all_certain(setup: TableSetup, played: RoundState) -> bool:
    """Return whether the complete initial deal is out and the slot of each card is certain."""
    _, _, plan, _, sure = _derived(setup, played.deal)
    return plan is not None and sure == len(plan.slots)


def certain(setup: TableSetup, played: RoundState) -> int:
    """Return how many cards of the deal have a certain slot."""
    return _derived(setup, played.deal)[4]


# The tables of a game share the few ways in which its passes end.
@lru_cache(maxsize=4096)
def _certain(ends: tuple[int, ...], marks: tuple[int, ...], out: int) -> int:
    """Return how many of `out` cards have a certain slot, by the `marks` of the passes that have ended."""
    sure, skipped = 0, False
    for mark, end in zip(marks, ends, strict=False):
        if mark not in {end, UNMARKED, SKIPPED}:
            return 0
        skipped = skipped or mark == SKIPPED
        # World: the key that came is the mistake, and the last card was drawn in error and not keyed so yet. The next
        # card excludes it.
        if skipped and out <= end < ends[-1]:
            return sure
        sure = end
    return sure


def without_option(setup: TableSetup, played: RoundState) -> RoundState:
    """Return the part of `played` that is certain while a box with one card has its option (36.14(h)).

    With the hole card out, that box's second card may be before or after it. The cards of the others are where they
    would be if the box had none; hands that were laid out with other cards are left out. Unchanged without such an
    option.
    """
    if not played.deal.options:
        return played
    plan = deal_template(
        setup, replace(played, deal=replace(played.deal, single=(*played.deal.single, *played.deal.options)))
    )
    if plan is None or plan.last == len(plan.slots) or len(played.deal.dealt) < len(plan.slots):
        return played
    before = [mark for mark, end in zip(played.deal.marks, plan.ends, strict=False) if end <= plan.last]
    seen = replace(
        played,
        deal=replace(
            played.deal,
            single=(*played.deal.single, *played.deal.options),
            options=(),
            dealt=played.deal.dealt[: len(plan.slots) - 1],
            marks=(*before, UNMARKED),
        ),
    )
    lies = {hand.box: {card for _, card in cards_of(setup, seen, f"box{hand.box}")} for hand in played.play.hands}
    initial = set(played.deal.dealt)
    kept = [hand for hand in played.play.hands if initial.intersection(hand.cards) <= lies[hand.box]]
    return replace(seen, play=replace(seen.play, hands=tuple(kept)))


def _of(plan: DealTemplate | None, played: RoundState, target: str, before: int) -> tuple[tuple[Slot, DrawnCard], ...]:
    """Return the cards of `target` among the first `before` cards of the deal."""
    if plan is None or not before:
        return ()
    dealt = cards_as_laid(plan, played)
    return tuple([(plan.slots[at], dealt[at]) for at in plan.whose.get(target, ()) if at < before])


def cards_as_laid(plan: DealTemplate, played: RoundState) -> Sequence[DrawnCard]:
    """Return the dealt cards in the order of `plan.slots`; cards keyed as misplaced are exchanged."""
    if not played.deal.swaps:
        return played.deal.dealt
    names = [slot.name for slot in plan.slots[: len(played.deal.dealt)]]
    dealt = list(played.deal.dealt)
    for one, other in played.deal.swaps:
        if one in names and other in names:
            a, b = names.index(one), names.index(other)
            dealt[a], dealt[b] = dealt[b], dealt[a]
    return dealt


_TO_BOXES: Final = frozenset({"boxes", "all"})


# The template is needed several times for each row, and changes only with the boxes and their options.
@lru_cache(maxsize=1024)
def _made(  # noqa: PLR0917  a cache key
    profile: GameProfile,
    keyed: tuple[int, ...],
    out: tuple[int, ...],
    late: tuple[int, ...],
    hole_out: tuple[int, ...],
    single: tuple[int, ...],
    by_hands: bool,  # noqa: FBT001  a cache key
) -> DealTemplate:
    boxes = [box for box in keyed if box not in out]
    # Boxes that take their second card after the hole card (36.14(h)).
    behind = {box for box in late if box in hole_out}
    slots: list[Slot] = []
    ends: list[int] = []
    passes = profile.passes
    last = max((at for at, one in enumerate(passes) if one.to in _TO_BOXES), default=0)
    for at, one in enumerate(passes):
        targets = [f"box{box}" for box in boxes] if one.to in _TO_BOXES else []
        if at == last:
            last_ones = [f"box{box}" for box in boxes if box in late and box not in behind]
            none = {f"box{box}" for box in (*single, *behind)}
            targets = [target for target in targets if target not in none and target not in last_ones] + last_ones
        targets += ["dealer"] if one.to in {"dealer", "all"} else [COMMUNITY] if one.to == COMMUNITY else []
        turns = [(target, turn) for turn in range(one.times) for target in targets]
        if by_hands:
            turns.sort(key=lambda pair: targets.index(pair[0]))
        for target, _ in turns:
            slots.append(Slot(target, 1 + sum(slot.target == target for slot in slots), one.up))
        if at == len(passes) - 1:
            slots += [Slot(f"box{box}", 2, up=True) for box in boxes if box in behind]
        ends.append(len(slots))
    whose = {
        target: tuple(at for at, slot in enumerate(slots) if slot.target == target)
        for target in {slot.target for slot in slots}
    }
    hole = bool(passes) and passes[-1].to == "dealer" and not passes[-1].up
    start = ends[last - 1] if last else 0
    shared = next((at for at, slot in enumerate(slots) if slot.target == COMMUNITY), None)
    # All cards before the first community card may be hidden, the dealer's too.
    down = sum(not slot.up and slot.target != "dealer" for slot in slots) if shared is None else shared
    return DealTemplate(tuple(slots), tuple(ends), whose, start if hole else len(slots), down)
