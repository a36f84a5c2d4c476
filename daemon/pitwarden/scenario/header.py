"""Header of a scenario file, `key: value` lines before `---`, and the table set-up that it describes.

A key that is missing has the default given here.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Final, get_args

from pydantic import TypeAdapter, ValidationError

from pitwarden.rules import DeckSetup, DeviceSetup, GameProfile, HousePolicy, ProfileError, TableSetup, load_profile
from pitwarden.rules.profile.library import EXAMPLES, GameChoice
from pitwarden.rules.profile.pay_tables import PayChoice
from pitwarden.rules.setup.table_setup import DeviceKind, Side
from pitwarden.scenario.arguments import parse_minute
from pitwarden.scenario.errors import ScenarioError, unknown_word_error
from pitwarden.scenario.header_values import (
    Mode,
    ScenarioDevice,
    decks_in_play,
    known_game,
    parse_deck_count,
    parse_devices,
    parse_inputs,
    parse_mode,
    parse_number,
    parse_option,
    parse_pay,
    parse_side,
    parse_strictness,
    parse_words,
)


@dataclass(frozen=True, slots=True)
class ScenarioHeader:
    """Table on which a scenario is played.

    `example` names the examples of the catalogue that the scenario plays, as `A9-5`. The times are minutes of the day.
    The header's `profiles` is a folder of game profiles: relative to the scenario file, or the package's `examples`.
    """

    title: str
    game: GameChoice
    positions: int
    boxes: int
    devices: tuple[ScenarioDevice, ...]
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

    def device(self, kind: str) -> ScenarioDevice | None:
        """Return the first device of `kind`, or None."""
        return next((device for device in self.devices if device.kind == kind), None)


def parse_header(rows: list[tuple[int, str]], file: str) -> ScenarioHeader:
    """Return the header in `rows`, pairs of line number and text.

    Raises:
        ScenarioError: A key or value is unknown, or a key is missing or repeated.
    """
    found: dict[str, tuple[int, str]] = {}
    for number, text in rows:
        key, colon, value = (part.strip() for part in text.partition(":"))
        if not colon:
            raise ScenarioError("a header line is `key: value`; events come after `---`", file=file, line=number)
        if key not in _READERS:
            raise unknown_word_error(key, "header key", _READERS).at(file, number)
        if key in found:
            raise ScenarioError(f"{key} stands twice in the header", file=file, line=number)
        found[key] = (number, value)
    for key in ("title", "game"):
        if key not in found:
            raise ScenarioError(f"the header lacks `{key}:`", file=file)
    return _build(found, file)


def _build(found: dict[str, tuple[int, str]], file: str) -> ScenarioHeader:
    number, value = found["game"]
    _, folder = found.get("profiles", (0, ""))
    try:
        game = known_game(value, _profiles(folder, file))
    except ScenarioError as error:
        raise error.at(file, number) from None
    made = ScenarioHeader("", game, game.positions, 3, _usual(game), (("A", None),), "manual_shoe", game.decks)
    for key, (number, value) in found.items():
        try:
            made = _READERS[key](made, value)
        except ScenarioError as error:
            raise error.at(file, number) from None
    if "mode" not in found and any(device.kind == "shoe" and device.automated for device in made.devices):
        made = replace(made, mode="auto_shoe")
    return made


def _profiles(folder: str, file: str) -> Path | None:
    """Return the folder of game profiles that a header names: relative to its file, or the package's examples."""
    if folder == EXAMPLES.name:
        return EXAMPLES
    return Path(file).parent / folder if folder else None


def _usual(game: GameChoice) -> tuple[ScenarioDevice, ...]:
    """Return a shoe and a shuffler that counts; none for a game without cards (19:47-1.1)."""
    if not game.cards:
        return ()
    return (
        ScenarioDevice("shoe", "shoe", automated=game.in_stacks),
        ScenarioDevice("shuffler", "shuffler", counts=True),
    )


_READERS: Final[dict[str, Callable[[ScenarioHeader, str], ScenarioHeader]]] = {
    "title": lambda made, text: replace(made, title=text),
    "cites": lambda made, text: replace(made, cites=text),
    "covers": lambda made, text: replace(made, covers=parse_words(text)),
    "example": lambda made, text: replace(made, example=parse_words(text)),
    "game": lambda made, _: made,  # with `profiles`, it was read first: it gives the other keys their defaults
    "profiles": lambda made, _: made,
    "positions": lambda made, text: replace(made, positions=parse_number(text, "positions")),
    "boxes": lambda made, text: replace(made, boxes=parse_number(text, "boxes")),
    "devices": lambda made, text: replace(made, devices=parse_devices(text)),
    "decks": lambda made, text: replace(made, decks=decks_in_play(text)),
    "in_set": lambda made, text: replace(made, in_set=parse_deck_count(text)),
    "without": lambda made, text: replace(made, without=parse_words(text)),
    "mode": lambda made, text: replace(made, mode=parse_mode(text)),
    "inputs": lambda made, text: replace(made, inputs=parse_inputs(text)),
    "options": lambda made, text: replace(made, options=tuple(parse_option(part) for part in text.split(","))),
    "start": lambda made, text: replace(made, start_minute=parse_minute(text)),
    "day_start": lambda made, text: replace(made, day_start_minute=parse_minute(text)),
    "wagers": lambda made, text: replace(made, wagers=parse_words(text)),
    "pay": lambda made, text: replace(made, pay=tuple(parse_pay(part) for part in text.split(",") if part.strip())),
    "rack": lambda made, text: replace(made, rack=parse_side(text)),
    "reveals": lambda made, text: replace(made, strict_reveals=parse_strictness(text)),
}
"""Header key and the function that applies its value."""


_USUAL: Final = {"shuffle_audit": "no"}
"""Policy of a table whose header does not set it: a macro deals cards in a fixed order, which no shuffle produces."""


def scenario_table_setup(header: ScenarioHeader, file: str) -> TableSetup:
    """Return the set-up of `header`, whose devices count as fresh and identified.

    Raises:
        ScenarioError: The rules reject the set-up.
    """
    try:
        profile = profile_of(header)
        return TableSetup(
            profile=profile,
            positions=_positions(header, profile),
            devices=tuple(_device(device) for device in header.devices),
            decks=tuple(DeckSetup(ident, colour) for ident, colour in header.decks),
            inputs="all" if header.inputs is None else frozenset(header.inputs),
            gaming_day_start=header.day_start_minute,
            mode=header.mode,
            assume_devices=True,
            policy=_policy(header.options),
            rack=header.rack,
            wagers=header.wagers,
            pay=header.pay,
        )
    except ScenarioError as error:
        raise ScenarioError(str(error), file=file) from None


def profile_of(header: ScenarioHeader) -> GameProfile:
    """Return the game profile of `header` as this table plays it.

    Raises:
        ScenarioError: The game is not played in this way.
    """
    try:
        return load_profile(header.game.name, header.in_set, header.without, header.game.folder)
    except ProfileError as error:
        raise ScenarioError(str(error)) from None


def _positions(header: ScenarioHeader, profile: GameProfile) -> int:
    if header.positions not in profile.positions:
        raise ScenarioError(f"{profile.title} has no table of {header.positions} positions")
    return header.positions


def _device(device: ScenarioDevice) -> DeviceSetup:
    kinds: dict[str, DeviceKind] = {kind: kind for kind in get_args(DeviceKind)}
    return DeviceSetup(
        ident=device.ident,
        kind=kinds[device.kind],
        counts=device.counts,
        reads=device.reads,
        automated=device.automated,
        procedure_ref=device.procedure,
        player_visible=device.visible,
        ranks=device.ranks,
        side=device.side,
    )


def _policy(options: tuple[tuple[str, str], ...]) -> HousePolicy:
    names = [item.name for item in fields(HousePolicy)]
    for name, _ in options:
        if name not in names:
            raise unknown_word_error(name, "switch of the house", names)
    try:
        listed = {name for name in names if isinstance(getattr(HousePolicy(), name), tuple)}
        given = {name: tuple(text.split("/")) if name in listed else text for name, text in options}
        return TypeAdapter(HousePolicy).validate_python(_USUAL | given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ScenarioError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
