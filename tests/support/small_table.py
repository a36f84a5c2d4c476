"""A small table file: one shoe on a port that is not there, a broker that is not there."""

from pathlib import Path

SMALL = """\
[table]
site = "harbor"
table = "ta01"
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


def small_table(
    folder: Path, *, port: int = 1, broker: str = "", shoe: str = "/nowhere/shoe", serial: str = "N1", more: str = ""
) -> Path:
    """The file in `folder`; `broker` holds more lines of its section, `more` further sections."""
    file = folder / "table.toml"
    file.write_text(SMALL.format(port=port, broker=broker, shoe=shoe, serial=serial) + more)
    return file
