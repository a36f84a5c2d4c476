"""Offers to the technician: the games of the shipped examples, each with what a table of it usually has."""

import tomllib
from pathlib import Path
from typing import Final

from pitwarden.installation.questions import OfferedGame
from pitwarden.rules import ProfileError, load_profile

EXAMPLES: Final = Path("/etc/pitwarden/examples")
_TAKEN: Final = ("table", "rules", "inputs", "pay")
_NOT_TAKEN: Final = frozenset({"site", "table", "positions", "simulated"})


def offered_games(folder: Path) -> list[OfferedGame]:
    """Return the games that have an example in `folder`, with what a table of each usually has.

    Decks, house policy and pay tables of the example are starting values; the technician compares them with the layout.
    """
    found: list[OfferedGame] = []
    for file in sorted(folder.glob("*.toml")):
        try:
            tree = tomllib.loads(file.read_text(encoding="utf-8"))
            game = tree["table"]["game"]
            title = load_profile(game, tree["table"].get("in_set")).title
        except (OSError, ValueError, KeyError, ProfileError):
            continue  # no example of a game: a map, a codes file, or a person's notes
        sections: dict[str, dict[str, object]] = {name: dict(tree[name]) for name in _TAKEN if name in tree}
        for name in _NOT_TAKEN:
            sections["table"].pop(name, None)
        found.append(OfferedGame(game, title, sections))
    return found
