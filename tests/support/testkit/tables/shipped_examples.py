"""Shipped example table files with a person in place of the placeholder, which a table that deals may not have."""

from pathlib import Path

from pitwarden.config.loading import PLACEHOLDER

CONFIG = Path(__file__).parents[4] / "config"


def attested_text(game: str) -> str:
    """Return the text of the example of `game`, attested by a person."""
    return (CONFIG / f"{game}.toml").read_text().replace(PLACEHOLDER, "T. Tester")


def attested_example(game: str, folder: Path) -> Path:
    """Return a copy of the example of `game` in `folder`, attested by a person."""
    file = folder / f"{game}.toml"
    file.write_text(attested_text(game))
    return file
