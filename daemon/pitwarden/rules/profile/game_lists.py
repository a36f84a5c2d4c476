"""What the rules list by game (`profiles/lists.toml`): packs, shufflers, hand dealing, four hours, wagers."""

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from pitwarden.rules.profile.profile import GameProfile, RegulationList
from pitwarden.rules.profile.toml_rows import TomlRow, parse_toml

FILE: Final = "lists.toml"


@dataclass(frozen=True, slots=True)
class PackRule:
    """A pack of 1.17(a): how many cards a deck has, and the games that it is for; none means all others."""

    name: str
    cards: int
    games: tuple[str, ...]
    cites: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GameList:
    """A list of games, with the clause that has it."""

    clause: str
    cites: tuple[str, ...]
    games: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GameWagers:
    """The optional wagers that a game always offers, and those that may not be offered beside it."""

    clause: str
    cites: tuple[str, ...]
    offered: tuple[str, ...]
    forbidden: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GameLists:
    """All lists. `exclusive`: pairs of wagers that may not be offered at one table; `least_decks`: by wager."""

    packs: tuple[PackRule, ...]
    listed: dict[str, GameList]
    wagers: dict[str, str]
    exclusive: frozenset[frozenset[str]]
    games: dict[str, GameWagers]
    least_decks: dict[str, int]

    def has(self, which: RegulationList, profile: GameProfile) -> bool:
        """Whether a list names the game: the packaged one, or its amendment that the game's profile cites."""
        return profile.name in self.listed[which].games or any(name == which for name, _ in profile.listed)

    def pack_of(self, game: str) -> PackRule:
        """Return the pack that `game` is played with."""
        return next((pack for pack in self.packs if game in pack.games), self.packs[0])


@lru_cache(maxsize=1)
def load_lists() -> GameLists:
    """Return the lists; ProfileError, with row and reason, when the file is wrong."""
    return parse_lists((files("pitwarden.rules.profile") / "data" / "profiles" / FILE).read_text(encoding="utf-8"))


def parse_lists(text: str) -> GameLists:
    """Return the lists in `text`; ProfileError names the row."""
    root = parse_toml(FILE, text)
    packs = tuple(_pack(name, row) for name, row in root.tables("packs").items())
    if not packs or packs[0].games:
        raise root.wrong("packs", "the first pack is the one of all games that no other names: it lists none")
    listed = {name: _listed(row) for name, row in root.tables("lists").items()}
    wagers = root.tables("wagers")
    missing = {"names", "exclusive", "games", "least_decks"} - set(wagers)
    if missing:
        raise root.wrong(f"wagers.{min(missing)}", "this table is missing")
    names = {key: wagers["names"].text(key) for key in wagers["names"].data}
    made = GameLists(
        packs=packs,
        listed=listed,
        wagers=names,
        exclusive=_pairs(wagers["exclusive"], names),
        games={name: _own(row, names) for name, row in _inner(wagers["games"]).items()},
        least_decks={key: wagers["least_decks"].number(key) for key in wagers["least_decks"].data},
    )
    root.refuse_rest()
    return made


def _pack(name: str, row: TomlRow) -> PackRule:
    made = PackRule(name, row.number("cards"), row.words("games"), row.words("cites"))
    row.refuse_rest()
    return made


def _listed(row: TomlRow) -> GameList:
    made = GameList(row.text("clause"), row.words("cites"), row.words("games"))
    row.refuse_rest()
    return made


def _inner(row: TomlRow) -> dict[str, TomlRow]:
    return TomlRow(row.file, row.place.removesuffix("games."), {"games": row.data}).tables("games")


def _pairs(row: TomlRow, names: dict[str, str]) -> frozenset[frozenset[str]]:
    pairs: list[frozenset[str]] = []
    for one in row.data:
        for other in row.words(one):
            pair = frozenset((one, other))
            if not {one, other} <= set(names) or len(pair) != 2 or pair in pairs:  # noqa: PLR2004  a pair
                raise row.wrong(one, f"{one} and {other} are no two wagers, or the pair stands twice")
            pairs.append(pair)
    return frozenset(pairs)


def _own(row: TomlRow, names: dict[str, str]) -> GameWagers:
    made = GameWagers(row.text("clause"), row.words("cites"), row.words("offered"), row.words("forbidden"))
    row.refuse_rest()
    for wager in (*made.offered, *made.forbidden):
        if wager not in names:
            raise row.wrong("forbidden", f"{wager!r} is no wager that wagers.names knows")
    if set(made.offered) & set(made.forbidden):
        raise row.wrong("offered", "a wager is offered and forbidden at once")
    return made
