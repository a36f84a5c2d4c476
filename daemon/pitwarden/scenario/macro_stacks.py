"""Honest rounds of games that are dealt in stacks, as 3 Card Blitz (51.7 to 51.10): hands, decisions, reveals, shuffle.

`round boxes=4 fold=2 stub=yes done=- shuffle=no|by-hand`; `deal` stops after the last card or stack.
"""

from collections.abc import Iterator

from pitwarden.scenario.arguments import Arguments
from pitwarden.scenario.macro_base import MacroState, check_arguments, reshuffle


def blitz_deal(house: MacroState, args: Arguments) -> Iterator[str]:
    """Yield the lines from the boxes to the last card of the deal."""
    check_arguments(args, ("boxes",))
    yield from _dealt(house, args)


def blitz_round(house: MacroState, args: Arguments) -> Iterator[str]:
    """Yield the lines of a complete round, with the shuffle after it unless `shuffle=no`."""
    check_arguments(args, ("boxes", "fold", "stub", "done", "shuffle"))
    boxes = house.boxes(args)
    folded = house.boxes_in(args, "fold")
    yield from _dealt(house, args)
    for box in boxes:
        yield f"kp.{'fold' if box in folded else 'play'} {box}"
    inside = house.inside
    left = inside - _by_hand(house)
    if house.mode == "hand":
        left = house.full - len(_targets(house, boxes)) * house.profile.hand_size
    stub = args.named.get("stub", "no")
    if stub != "no":
        yield f"kp.stub {left if stub == 'yes' else stub}"
    if house.mode == "auto_shoe":
        yield f"sh.unload {inside}"
    yield "kp.dealer_reveal"
    for box in reversed(boxes):
        if box not in folded:
            yield f"kp.reveal {box}"
    yield "kp.round_end"
    if args.named.get("shuffle") != "no":
        yield from _next_deck(house, args)


def _dealt(house: MacroState, args: Arguments) -> Iterator[str]:
    boxes = house.boxes(args)
    shoe = house.header.device("shoe")
    yield f"kp.boxes 1-{len(boxes)}"
    yield "kp.no_more_bets"
    if house.mode == "auto_shoe":
        for _ in _targets(house, boxes):
            names = _stack(house) if shoe and shoe.reads else []
            yield " ".join(("sh.stack", str(house.profile.hand_size), *names))
    if house.mode == "manual_shoe":
        for _ in range(house.profile.hand_size * len(_targets(house, boxes))):
            yield f"sh.card {house.pack.next()}"


def _targets(house: MacroState, boxes: range) -> list[str]:
    """Return the recipients of a hand: each box, and the dealer where the game deals to the dealer."""
    dealer = ["dealer"] if any(one.to == "all" for one in house.profile.passes) else []
    return [*map(str, boxes), *dealer]


def _by_hand(house: MacroState) -> int:
    """Return how many cards, such as community cards, are dealt from the hand after the shoe was emptied."""
    rule = house.profile.rule(f"stub_{house.mode}")
    return rule.number("by_hand") if rule else 0


def _stack(house: MacroState) -> list[str]:
    """Return different cards of one hand that are still in the shoe."""
    names: list[str] = []
    ahead = dict(house.pack.left)
    for _ in range(house.profile.hand_size):
        names.append(house.pack.next())
        house.pack.follow(names[-1])
    house.pack.left, house.pack.drawn = ahead, house.pack.drawn - house.profile.hand_size
    return names


def _next_deck(house: MacroState, args: Arguments) -> Iterator[str]:
    done = {"done": args.named["done"]} if "done" in args.named else {}
    if args.named.get("shuffle") == "by-hand":
        done["by"] = "hand"
    other = house.other_deck
    if other is None:
        yield from reshuffle(house, Arguments((), done))
        return
    used = house.deck
    yield f"kp.collected {used}"
    if house.mode != "hand":
        yield f"sh.load {other} {house.full}"
    yield f"sf.start {used}"
    yield f"sf.done {used} {done.get('done', house.done_count())}"
