"""Small table file: one shoe on a port that does not exist, and a broker that does not answer."""

from pathlib import Path

SMALL = """\
[table]
site = "{site}"
table = "{table}"
game = "triple-attack-blackjack"
positions = 6
decks = {{ A = "red" }}
simulated = true

[broker]
port = {port}
{broker}
[storage]
journals = "journals"
keys = "keys"

[devices.shoe]
family = "shoe"
port = "{shoe}"
serial = "{serial}"

[attestations.G-05]
by = "tests"
on = 2020-01-01

[attestations.G-11]
by = "tests"
on = 2020-01-01
"""


USUAL = {"site": "harbor", "table": "ta01", "port": 1, "broker": "", "shoe": "/nowhere/shoe", "serial": "N1"}


def small_table(folder: Path, *, more: str = "", **said: object) -> Path:
    """Write the file to `folder`, with `USUAL` for keys that are not given; `broker`: more lines of its section."""
    file = folder / "table.toml"
    file.write_text(SMALL.format(**USUAL | said) + more)
    return file
