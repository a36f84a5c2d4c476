"""Values of a scenario's header keys: games, decks, options, pay tables, and devices."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, get_args

from pitwarden.rules import ProfileError
from pitwarden.rules.profile.library import GameChoice, load_library
from pitwarden.rules.profile.pay_tables import PayChoice
from pitwarden.rules.setup.table_setup import MARKED, Side
from pitwarden.scenario.arguments import parse_int
from pitwarden.scenario.errors import RefusedGameError, ScenarioError, unknown_word_error
from pitwarden.scenario.input_events import ACTS, SHORT

Mode = Literal["manual_shoe", "auto_shoe", "hand"]
_CENTS: Final = 99_999_999_999


def parse_words(text: str) -> tuple[str, ...]:
    """Return the words of `text`, separated by commas or spaces."""
    return tuple(text.replace(",", " ").split())


def parse_inputs(text: str) -> tuple[str, ...] | None:
    """Return the acts that are keyed at the table, short words replaced by their acts; None for `all`."""
    if text == "all":
        return None
    for word in parse_words(text):
        if word not in ACTS and word not in SHORT:
            raise unknown_word_error(word, "input", {*ACTS, *SHORT})
    return tuple(SHORT.get(word, (word, {}))[0] for word in parse_words(text))


def known_game(text: str, folder: Path | None = None) -> GameChoice:
    """Return the game with the short name `text`, or the name that a table file has for it.

    It is one of the package, or one of the profiles in `folder`.

    Raises:
        ScenarioError: There is none, or its profile is refused.
    """
    try:
        library = load_library(folder)
    except ProfileError as error:
        raise ScenarioError(str(error)) from None
    named = {choice.name: choice for choice in library.games.values()}  # as `[table] game` of a table file has it
    if text in library.games or text in named:
        return library.games.get(text) or named[text]
    reasons = "; ".join(f"not loaded: {error}" for error in library.refused.values())
    unknown = unknown_word_error(text, "game", {*library.games, *named})
    raise RefusedGameError(f"{unknown}; {reasons}") if reasons else unknown


def parse_strictness(text: str) -> bool:
    """Return whether every reveal must be expected: True for `strict`, False for `named`."""
    if text not in {"strict", "named"}:
        raise unknown_word_error(text, "way to check reveals", ("strict", "named"))
    return text == "strict"


def parse_number(text: str, what: str) -> int:
    """Return a number of positions or boxes; an error names `what`."""
    return parse_int(text, what, 1, 7)  # no table has more (13:69E-1.13V(a))


def parse_deck_count(text: str) -> int:
    """Return the number of decks in a set."""
    return parse_int(text, "in_set", 1, 99)


def parse_mode(text: str) -> Mode:
    """Return `text` as a way of dealing.

    Raises:
        ScenarioError: It is not one.
    """
    modes: tuple[Mode, ...] = get_args(Mode)
    for mode in modes:
        if mode == text:
            return mode
    raise unknown_word_error(text, "way of dealing", modes)


def decks_in_play(text: str) -> tuple[tuple[str, str | None], ...]:
    """Return the decks of the table, separated by commas. A name must not occur twice."""
    decks = tuple(parse_deck(part) for part in text.split(","))
    if len({ident for ident, _ in decks}) < len(decks):
        raise ScenarioError(f"a deck stands twice in {text!r}")
    return decks


def parse_deck(text: str) -> tuple[str, str | None]:
    """Return a deck's name and the color of its back, None when it is not given."""
    match text.split():
        case [ident]:
            return ident, None
        case [ident, colour]:
            return ident, colour
        case _:
            raise ScenarioError(f"a deck is a name and perhaps a colour, as `A red`, not {text.strip()!r}")


def parse_option(text: str) -> tuple[str, str]:
    """Return `name=value` as a pair.

    Raises:
        ScenarioError: The text has no `=`.
    """
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        raise ScenarioError(f"an option is `name=value`, not {text.strip()!r}")
    return key, value


def parse_pay(text: str) -> PayChoice:
    """Return the choice of a pay table; its limits are in cents.

    An example: `ib A maximum=10000 one_card_spread=13_to_1 approved=X posted=no`.
    """
    wager, *rest = text.split()
    named = dict(parse_option(token) for token in rest if "=" in token)
    limits = {key: parse_int(named.pop(key), key, 1, _CENTS) for key in ("minimum", "maximum") if key in named}
    approved, posted = named.pop("approved", ""), named.pop("posted", "yes")
    if posted not in {"yes", "no"}:
        raise unknown_word_error(posted, "value of posted", ("yes", "no"))
    table = next((token for token in rest if "=" not in token), "")
    lines = tuple((line, pays.replace("_", " ")) for line, pays in named.items())
    return PayChoice(wager, table, posted == "yes", lines, approved, limits.get("minimum"), limits.get("maximum"))


KINDS: Final = ("shoe", "shuffler", "reader")
_SWITCHES: Final = {"yes": True, "no": False, "unknown": None}
_TRAITS: Final = frozenset({"auto", "counts", "reads", "visible", "procedure", "side", "ranks"})


@dataclass(frozen=True, slots=True)
class ScenarioDevice:
    """Device of the table. `counts` and `visible` are None when unknown."""

    ident: str
    kind: str
    counts: bool | None = None
    reads: bool = True
    automated: bool = False
    visible: bool | None = None
    procedure: str | None = "ICP-1"
    side: Side | None = None
    ranks: tuple[str, ...] = MARKED


def parse_devices(text: str) -> tuple[ScenarioDevice, ...]:
    """Return the devices in `text`, separated by commas. A name must not occur twice."""
    devices = tuple(parse_device(part) for part in text.split(",") if part.strip())
    if len({device.ident for device in devices}) < len(devices):
        raise ScenarioError(f"a device stands twice in {text!r}")
    return devices


def parse_device(text: str) -> ScenarioDevice:
    """Return `text`, a name with optional traits, as a device.

    Raises:
        ScenarioError: The device or one of its traits is unknown.
    """
    name, *traits = text.split()
    kind = name.rstrip("0123456789")
    if kind not in KINDS:
        raise unknown_word_error(name, "device", KINDS)
    made = ScenarioDevice(name, kind)
    for trait in traits:
        key, _, value = trait.partition("=")
        if key not in _TRAITS:
            raise unknown_word_error(key, f"trait of a {kind}", _TRAITS)
        made = _trait(made, key, value)
    return made


def parse_side(text: str) -> Side:
    """Return `text` as a side of the dealer.

    Raises:
        ScenarioError: It is not one.
    """
    sides: tuple[Side, ...] = get_args(Side)
    for side in sides:
        if side == text:
            return side
    raise unknown_word_error(text, "side of the dealer", sides)


def _trait(device: ScenarioDevice, key: str, value: str) -> ScenarioDevice:
    if key == "procedure":
        return replace(device, procedure=None if value in {"", "none"} else value)
    if key == "side":
        return replace(device, side=parse_side(value))
    if key == "ranks":
        return replace(device, ranks=tuple(value.split("/")))
    if value not in _SWITCHES and (key, value) != ("auto", ""):
        raise unknown_word_error(value, f"value of {key}", _SWITCHES)
    switch = _SWITCHES.get(value, True)  # `auto` alone means yes
    match key:
        case "counts":
            return replace(device, counts=switch)
        case "visible":
            return replace(device, visible=switch)
        case "reads":
            return replace(device, reads=switch is not False)
        case _:
            return replace(device, automated=switch is not False)
