"""Slips as dealers and devices really make them, put into an honest course."""

import random
from typing import Final

from pitwarden_tools.worlds.games import WorldGame
from pitwarden_tools.worlds.rows import About, WorldRow
from pitwarden_tools.worlds.steps import CardStep, KeyStep, Sensed, Stack, Taken, Turn
from pitwarden_tools.worlds.walk import Item

_KINDS: Final = (
    "late", "early", "missing", "mistake", "mistake", "mistake", "wrong box", "reopened", "twice", "unread", "misuse",
    "taken back", "refuted",
)  # fmt: skip
_ANSWERS: Final = ("choice ", "decision ")
"""Keys that answer the question of what a box does next."""
_MOST: Final = 6
"""Largest number of rows that a key is moved by."""


def slip(items: list[Item], game: WorldGame, boxes: int, rng: random.Random) -> tuple[list[Item], str]:
    """Return `items` with one slip, and its name; unchanged where the round gives no occasion for it."""
    items, kind = list(items), rng.choice(_KINDS)
    kind = "mistake" if kind == "refuted" and game.tens else kind  # no card is taken for a 10 where 10s belong
    keys = [at for at, item in enumerate(items) if isinstance(item.step, KeyStep) and not item.step.sure]
    at = rng.choice(keys)
    name = _named(items[at])
    match kind:
        case "late" | "early":
            by = rng.randint(1, _MOST) * (1 if kind == "late" else -1)
            items.insert(max(0, min(len(items) - 1, at + by)), items.pop(at))
        case "missing":
            items.pop(at)
        case "mistake" | "taken back" | "refuted":
            name = _mistake(items, game, boxes, rng, kind)
        case "wrong box":
            at = rng.choice([one for one in keys if _about(items[one]) is not None])
            name = _named(items[at])
            items[at] = Item(None, row=WorldRow("key", name, _wrong(name, _about(items[at]), boxes)))
        case "reopened":
            name = _after(items, "open insurance", [KeyStep("close insurance"), KeyStep("open insurance")])
        case "misuse":
            name = _misuse(items)
        case _:
            name = _misread(items, rng, kind)
    return items, f"{kind} {name}"


def _named(item: Item) -> str:
    return item.step.name if isinstance(item.step, KeyStep) else ""


def _about(item: Item) -> About:
    return item.step.about if isinstance(item.step, KeyStep) else None


def _wrong(name: str, about: About, boxes: int) -> About:
    if name == "drawn_in_error":
        return None
    if name == "misplaced" and isinstance(about, tuple):
        return (about[0] % boxes + 1, *about[1:])
    if isinstance(about, tuple):
        return tuple(sorted({*about[:-1], max(about) + 1}))
    return about % boxes + 1 if isinstance(about, int) else about


def _mistake(items: list[Item], game: WorldGame, boxes: int, rng: random.Random, kind: str) -> str:
    """Press a key where it does not belong; it may be taken back, or be a 10 that the floor refutes."""
    box = rng.randint(1, boxes)
    some = tuple(sorted(rng.sample(range(1, boxes + 2), boxes)))
    names: dict[str, About] = {"face_up": None, "round_end": None, "boxes": some}
    if game.short == "CB":
        names |= {"dealer_reveal": None, "reveal": box, "decision fold": box, "decision play": box}
    else:
        names |= {
            "hole_up": None, "dealer": None, "burn_request": None, "decision stand": box, "decision split": box,
            "one_card": box, "no_cards": box, "dealt": None, "close insurance": None, "dealer_draw": None,
            "misplaced": rng.choice([(box, 1, box, 2), (box, 2, 0, 2)]), "declined": box, "skipped": box, "refuse": box,
            "drawn_in_error": rng.choice([None, "exposed"]),
        }  # fmt: skip
    if game.choice:
        names |= {"choice switch": box}
    name = "ten" if kind == "refuted" else rng.choice(list(names))
    places = [at for at in range(2, len(items)) if not _is_next(items, at, name, names.get(name))]
    at = rng.choice(places)
    items.insert(at, Item(None, row=WorldRow("key", name, names.get(name))))
    if kind == "refuted":
        items.insert(min(len(items) - 1, at + rng.randint(1, 3)), Item(None, row=WorldRow("key", "ten_refuted")))
    elif kind == "taken back":
        items.insert(min(len(items) - 1, at + rng.randint(1, 2)), Item(None, row=WorldRow("floor", "retract", name)))
    return name


def _is_next(items: list[Item], at: int, name: str, about: About) -> bool:
    """Return whether the act of the key comes next, or another answer to its question; no log shows such a mistake."""
    rest = (item.step for item in items[at:] if not isinstance(item.step, Turn))
    step = next(rest, None)
    return isinstance(step, KeyStep) and (_word(step.name), step.about) == (_word(name), about)


def _word(name: str) -> str:
    return name.partition(" ")[0] if name.startswith(_ANSWERS) else name


def _after(items: list[Item], name: str, more: list[KeyStep]) -> str:
    for at, item in enumerate(items):
        if _named(item) == name:
            items[at + 1 : at + 1] = [Item(key) for key in more]
            return name
    return "nothing"


def _misuse(items: list[Item]) -> str:
    """Use the reader while insurance is open."""
    names = [_named(item) for item in items]
    if "close insurance" not in names:
        return "nothing"
    at = names.index("close insurance")
    read = [one for one in items[at + 1 : at + 3] if isinstance(one.step, Sensed)]
    if len(read) < 2:  # noqa: PLR2004  inserted, result
        return "nothing"
    sealed = Item(Sensed("result", hides=True), read[1].faces)
    items[at : at + 3] = [read[0], sealed, Item(Turn(("answer",))), items[at]]
    return "the reader"


def _misread(items: list[Item], rng: random.Random, kind: str) -> str:
    read = CardStep if kind == "twice" else CardStep | Stack
    cards = [at for at, item in enumerate(items) if isinstance(item.step, read)]
    if kind == "unread":
        cards = [at for at in cards if not _is_replaced(items, at)]
    if not cards:
        return "nothing"
    at = rng.choice(cards)
    step = items[at].step
    if kind == "twice":
        items.insert(at + 1, Item(step, items[at].faces))
    else:
        items[at] = Item(step, items[at].faces, unread=True)
    return step.place.split(".")[0] if isinstance(step, CardStep | Stack) else ""


def _is_replaced(items: list[Item], at: int) -> bool:
    """Return whether a card of the play has one drawn in error behind it: unread, it would leave no trace."""
    step = items[at].step
    later = (item.step.place for item in items[at:] if isinstance(item.step, CardStep))
    hit = isinstance(step, CardStep) and step.place.endswith(".hit")
    return hit and any(place.startswith("waiting") for place in later)


def opened_anew(items: list[Item], rng: random.Random) -> list[Item]:
    """Return `items` with a new epoch of the log somewhere in the round.

    Not between a key and its act: an act that no row of people or devices separates from its key is not early.
    """
    items = list(items)
    at = rng.randint(1, len(items))
    while _begun(items, at):
        at += 1
    items.insert(at, Item(None, row=WorldRow("floor", "epoch")))
    return items


def _begun(items: list[Item], at: int) -> bool:
    """Return whether what follows `items[:at]` is an act whose key is the last row before it."""
    if at == len(items) or not isinstance(items[at].step, Turn | Taken):
        return False
    before = next((one for one in reversed(items[:at]) if not isinstance(one.step, Turn | Taken)), None)
    return before is not None and isinstance(before.step, KeyStep)
