"""Library of game profiles: those of the package, and those that a house keeps in a folder of its own.

A profile that is wrong is refused by file, row and reason. It concerns the tables of its own game only: no other game
is affected by it.
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from pitwarden.rules.profile.loading import parse_profile
from pitwarden.rules.profile.profile import GameProfile
from pitwarden.rules.profile.toml_rows import ProfileError, parse_toml
from pitwarden_client.spelling import nearest_hint

PACKAGED: Final = files("pitwarden.rules.profile") / "data" / "profiles"
EXAMPLES: Final = Path(str(files("pitwarden.rules.profile") / "data" / "examples"))
"""Folder of example profiles: no games of the package, since no text of theirs is in our sources."""
_SHARED: Final = ("equipment", "lists")
_SUFFIX: Final = ".toml"
NAMES: Final = tuple(
    sorted(name for name in (file.name.removesuffix(_SUFFIX) for file in PACKAGED.iterdir()) if name not in _SHARED)
)
"""Games whose profile is part of the package: every file of the folder but the two that all games share."""


@dataclass(frozen=True, slots=True)
class GameChoice:
    """A game that a table file may name."""

    name: str
    """Name of its profile, as in `[table] game`."""
    game: str
    """Short name, as in a scenario and before the number of a clause."""
    positions: int
    """Highest number of positions."""
    decks: int
    """Usual number of decks."""
    in_stacks: bool
    folder: Path | None
    """Folder of the house's profile; None for one of the package."""
    cards: bool = True
    """Whether the game is played with cards."""


@dataclass(frozen=True, slots=True)
class GameLibrary:
    """Games of the package and of one folder, and the reason for each file that is refused."""

    games: dict[str, GameChoice]
    """By short name."""
    refused: dict[str, ProfileError]
    """By the name of the file without `.toml`."""


@lru_cache(maxsize=8)
def load_library(folder: Path | None = None) -> GameLibrary:
    """Return all games, those of the house's `folder` included.

    Raises:
        ProfileError: The folder cannot be read.
    """
    games, refused = dict[str, GameChoice](), dict[str, ProfileError]()
    for name, where in (*((name, None) for name in NAMES), *((name, folder) for name in sorted(_own(folder)))):
        try:
            made = load_profile(name, default_decks(name, where), (), where)
        except ProfileError as error:
            refused[name] = error
            continue
        if made.game in games:
            reason = f"{made.game!r} is the short name of {games[made.game].name} too: give the game one of its own"
            refused[name] = ProfileError(f"{_read(name, where)[0]}: game: {reason}")
        else:
            most, cards = max(made.positions), made.total > 0
            games[made.game] = GameChoice(name, made.game, most, made.copies, made.in_stacks, where, cards)
    return GameLibrary(games, refused)


@lru_cache(maxsize=64)
def load_profile(
    name: str, decks: int | None = None, without: tuple[str, ...] = (), folder: Path | None = None
) -> GameProfile:
    """Return the profile called `name`.

    Args:
        name: Name of its file without `.toml`.
        decks: Number of decks that it is played with; None where the game has only one number.
        without: Variants whose passes this table does not deal.
        folder: The house's own profiles; None without any.

    Raises:
        ProfileError: There is none, it is wrong, or the game is not played so; with file, row and reason.
    """
    file, text = _read(name, folder)
    common = (PACKAGED / f"equipment{_SUFFIX}").read_text(encoding="utf-8")
    made = parse_profile(file, text, common, decks, without)
    if made.name != name:
        raise ProfileError(f"{file}: name: the file is called {name}: write that name here, or rename the file")
    return made


def default_decks(name: str, folder: Path | None = None) -> int:
    """Return the number of decks that a game is usually played with: the row `usual`, else its first number.

    Raises:
        ProfileError: There is no such profile, or the row is wrong.
    """
    file, text = _read(name, folder)
    row = parse_toml(file, text)
    numbers = (row.number("usual"),) if "usual" in row.data else row.numbers("decks")
    if not numbers:
        raise row.wrong("decks", "the numbers of decks that the game may be played with are missing here")
    return numbers[0]


def _read(name: str, folder: Path | None) -> tuple[str, str]:
    """Return what a profile's file is called in an error, and its text. A house's profile replaces no other."""
    own = _own(folder)
    if name in own and name in NAMES:
        raise ProfileError(f"{own[name]}: the package has a game of this name: rename the file and its row `name`")
    if name in NAMES:
        file = f"{name}{_SUFFIX}"
        return file, (PACKAGED / file).read_text(encoding="utf-8")
    if name not in own:
        known = sorted((*NAMES, *own))
        raise ProfileError(f"{name!r} is no game profile{nearest_hint(name, known)}: there are {', '.join(known)}")
    try:
        return str(own[name]), own[name].read_text(encoding="utf-8")
    except OSError as error:
        raise ProfileError(f"{own[name]}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ProfileError(f"{own[name]}: is not UTF-8 text: save it as UTF-8") from None


def _own(folder: Path | None) -> dict[str, Path]:
    """Return the files of the house's own profiles by name."""
    if folder is None:
        return {}
    try:
        return {file.stem: file for file in folder.iterdir() if file.suffix == _SUFFIX}
    except OSError as error:
        raise ProfileError(f"{folder}: the folder of game profiles cannot be read: {error.strerror}") from None
