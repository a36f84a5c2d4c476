"""The head of a scenario file: `key: value` lines before `---`. What is not said has the default given here."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from pitwarden.rules.outcomes.pay import PayChoice
from pitwarden.rules.setup import MARKED, Side
from pitwarden.scenario.errors import ScenarioError, unknown
from pitwarden.scenario.games import games
from pitwarden.scenario.times import minute_of

Mode = Literal["manual_shoe", "auto_shoe", "hand"]

KINDS: Final = ("shoe", "shuffler", "reader")
_SWITCHES: Final = {"yes": True, "no": False, "unknown": None}
_TRAITS: Final = frozenset({"auto", "counts", "reads", "visible", "procedure", "side", "ranks"})


@dataclass(frozen=True, slots=True)
class Device:
    """A device of the table; `counts` and `visible` may be unknown (None)."""

    ident: str
    kind: str
    counts: bool | None = None
    reads: bool = True
    automated: bool = False
    visible: bool | None = None
    procedure: str | None = "ICP-1"
    side: Side | None = None
    ranks: tuple[str, ...] = MARKED


@dataclass(frozen=True, slots=True)
class Header:
    """The table that a scenario is played on; `example`: the catalogue's examples that it plays, as `A9-5`."""

    title: str
    game: str
    positions: int
    boxes: int
    devices: tuple[Device, ...]
    decks: tuple[tuple[str, str | None], ...]
    mode: Mode
    in_set: int
    cites: str = ""
    without: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    example: tuple[str, ...] = ()
    inputs: tuple[str, ...] | None = None
    options: tuple[tuple[str, str], ...] = ()
    start_minute: int = 600
    day_start_minute: int = 360
    strict_reveals: bool = False
    rack: Side | None = None
    wagers: tuple[str, ...] = ()
    pay: tuple[PayChoice, ...] = ()

    def device(self, kind: str) -> Device | None:
        """The first device of `kind`, or None."""
        return next((device for device in self.devices if device.kind == kind), None)


def parse_header(rows: list[tuple[int, str]], file: str) -> Header:
    """The header in `rows` (line number, text); ScenarioError for an unknown key or value."""
    found: dict[str, tuple[int, str]] = {}
    for number, text in rows:
        key, colon, value = (part.strip() for part in text.partition(":"))
        if not colon:
            raise ScenarioError("a header line is `key: value`; events come after `---`", file=file, line=number)
        if key not in _READERS:
            raise unknown(key, "header key", _READERS).at(file, number)
        if key in found:
            raise ScenarioError(f"{key} stands twice in the header", file=file, line=number)
        found[key] = (number, value)
    for key in ("title", "game"):
        if key not in found:
            raise ScenarioError(f"the header lacks `{key}:`", file=file)
    return _build(found, file)


def _build(found: dict[str, tuple[int, str]], file: str) -> Header:
    number, value = found["game"]
    try:
        game = _known_game(value)
    except ScenarioError as error:
        raise error.at(file, number) from None
    usual = games()[game]
    made = Header("", game, usual.positions, 3, _usual(game), (("A", None),), "manual_shoe", usual.decks)
    for key, (number, value) in found.items():
        try:
            made = _READERS[key](made, value)
        except ScenarioError as error:
            raise error.at(file, number) from None
    if "mode" not in found and any(device.kind == "shoe" and device.automated for device in made.devices):
        made = replace(made, mode="auto_shoe")
    return made


def _usual(game: str) -> tuple[Device, ...]:
    return (Device("shoe", "shoe", automated=games()[game].automated), Device("shuffler", "shuffler", counts=True))


def _number(text: str, what: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 7:  # noqa: PLR2004  no table has more (13:69E-1.13V(a))
        raise ScenarioError(f"{what} is a number from 1 to 7, not {text!r}")
    return int(text)


def _decks(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise ScenarioError(f"in_set is a number of decks, not {text!r}")
    return int(text)


def _mode(text: str) -> Mode:
    modes: tuple[Mode, ...] = get_args(Mode)
    for mode in modes:
        if mode == text:
            return mode
    raise unknown(text, "way of dealing", modes)


def _deck(text: str) -> tuple[str, str | None]:
    match text.split():
        case [ident]:
            return ident, None
        case [ident, colour]:
            return ident, colour
        case _:
            raise ScenarioError(f"a deck is a name and perhaps a colour, as `A red`, not {text.strip()!r}")


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        raise ScenarioError(f"an option is `name=value`, not {text.strip()!r}")
    return key, value


def _device(text: str) -> Device:
    name, *traits = text.split()
    kind = name.rstrip("0123456789")
    if kind not in KINDS:
        raise unknown(name, "device", KINDS)
    made = Device(name, kind)
    for trait in traits:
        key, _, value = trait.partition("=")
        if key not in _TRAITS:
            raise unknown(key, f"trait of a {kind}", _TRAITS)
        made = _trait(made, key, value)
    return made


def _trait(device: Device, key: str, value: str) -> Device:
    if key == "procedure":
        return replace(device, procedure=None if value in {"", "none"} else value)
    if key == "side":
        return replace(device, side=_side(value))
    if key == "ranks":
        return replace(device, ranks=tuple(value.split("/")))
    if value not in _SWITCHES and key != "auto":
        raise unknown(value, f"value of {key}", _SWITCHES)
    switch = _SWITCHES.get(value, True)
    match key:
        case "counts":
            return replace(device, counts=switch)
        case "visible":
            return replace(device, visible=switch)
        case "reads":
            return replace(device, reads=switch is not False)
        case _:
            return replace(device, automated=switch is not False)


def _pay(text: str) -> PayChoice:
    """`ib A maximum=10000 one_card_spread=13_to_1 approved=X posted=no` as a choice of a pay table."""
    wager, *rest = text.split()
    named = dict(_pair(token) for token in rest if "=" in token)
    limits = {key: int(named.pop(key)) for key in ("minimum", "maximum") if named.get(key, "").isdecimal()}
    approved, posted = named.pop("approved", ""), named.pop("posted", "yes") == "yes"
    table = next((token for token in rest if "=" not in token), "")
    lines = tuple((line, pays.replace("_", " ")) for line, pays in named.items())
    return PayChoice(wager, table, posted, lines, approved, limits.get("minimum"), limits.get("maximum"))


def _side(text: str) -> Side:
    sides: tuple[Side, ...] = get_args(Side)
    for side in sides:
        if side == text:
            return side
    raise unknown(text, "side of the dealer", sides)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def _known_game(text: str) -> str:
    if text not in games():
        raise unknown(text, "game", games())
    return text


def _strictness(text: str) -> bool:
    if text not in {"strict", "named"}:
        raise unknown(text, "way to check reveals", ("strict", "named"))
    return text == "strict"


_READERS: Final[dict[str, Callable[[Header, str], Header]]] = {
    "title": lambda made, text: replace(made, title=text),
    "cites": lambda made, text: replace(made, cites=text),
    "covers": lambda made, text: replace(made, covers=_words(text)),
    "example": lambda made, text: replace(made, example=_words(text)),
    "game": lambda made, text: replace(made, game=_known_game(text)),
    "positions": lambda made, text: replace(made, positions=_number(text, "positions")),
    "boxes": lambda made, text: replace(made, boxes=_number(text, "boxes")),
    "devices": lambda made, text: replace(made, devices=tuple(_device(part) for part in text.split(",") if part)),
    "decks": lambda made, text: replace(made, decks=tuple(_deck(part) for part in text.split(","))),
    "in_set": lambda made, text: replace(made, in_set=_decks(text)),
    "without": lambda made, text: replace(made, without=_words(text)),
    "mode": lambda made, text: replace(made, mode=_mode(text)),
    "inputs": lambda made, text: replace(made, inputs=None if text == "all" else _words(text)),
    "options": lambda made, text: replace(made, options=tuple(_pair(part) for part in text.split(","))),
    "start": lambda made, text: replace(made, start_minute=minute_of(text)),
    "day_start": lambda made, text: replace(made, day_start_minute=minute_of(text)),
    "wagers": lambda made, text: replace(made, wagers=_words(text)),
    "pay": lambda made, text: replace(made, pay=tuple(_pay(part) for part in text.split(",") if part.strip())),
    "rack": lambda made, text: replace(made, rack=_side(text)),
    "reveals": lambda made, text: replace(made, strict_reveals=_strictness(text)),
}
"""Header key -> what reads it."""
