"""Table file of a simulated table."""

from collections.abc import Mapping

from pitwarden_simulators.table.actions import DeviceName
from pitwarden_simulators.table.setup import COLOURS, SimulatedTableSetup
from pitwarden_simulators.table.table_builder import SERIALS


def far_from(utc_ms: int) -> str:
    """Return the time of day, HH:MM in UTC, twelve hours from `utc_ms`: no gaming day begins within the night."""
    minutes = (utc_ms // 60_000 + 12 * 60) % (24 * 60)
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def table_file(
    setup: SimulatedTableSetup,
    site: str,
    broker: tuple[str, int],
    ports: Mapping[DeviceName, str],
    gaming_day: str,
    *,
    locks: bool = False,
) -> str:
    """Return the TOML text for `setup` at `site`, with `broker` as host and port and its devices at `ports`.

    `locks`: the judge may lock the shoe.
    """
    decks = ", ".join(f'{deck} = "{COLOURS[deck]}"' for deck in setup.decks)
    head = f"""\
[table]
site = "{site}"
table = "{setup.table}"
game = "{setup.game}"
positions = {setup.positions}
mode = "{"auto_shoe" if setup.automated else "manual_shoe"}"
decks = {{ {decks} }}
in_set = {setup.in_set}
gaming_day = "{gaming_day}"
simulated = true

[broker]
host = "{broker[0]}"
port = {broker[1]}

[storage]
journals = "journals"
keys = "keys"

[rules]
manual_deal = "rounds"
"""
    sections = [_device(setup, name, path, locks=locks) for name, path in ports.items()]
    return head + "".join((*sections, *map(_attestation, _attested(setup))))


def _attested(setup: SimulatedTableSetup) -> tuple[str, ...]:
    """Return the attestations that the regulation requires before play at such a table."""
    asked = {"triple-attack-blackjack": ("TAB-51",), "switch-hands": ("G-16",)}.get(setup.game, ())
    return ("G-05", "G-11", *(one for one in asked if one != "TAB-51" or setup.reader))


def _attestation(clause: str) -> str:
    return f"""
[attestations.{clause}]
by = "simulated"
on = 2020-01-01
"""


def _device(setup: SimulatedTableSetup, name: DeviceName, path: str, *, locks: bool) -> str:
    more = {
        "shoe": f"automated = {str(setup.automated).lower()}\nlock = {str(locks).lower()}",
        "shuffler": f"counts = {str(setup.counting).lower()}",
        "reader": f"player_visible = {str(setup.reader == 'visible').lower()}",
    }
    return f"""
[devices.{name}]
family = "{name}"
port = "{path}"
serial = "{SERIALS[name]}"
procedure = "simulated"
{more.get(name, "")}
"""
