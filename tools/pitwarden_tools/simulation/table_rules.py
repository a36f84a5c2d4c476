"""Rules set-up of a simulated table, as its table file would have it."""

from typing import Final

from pitwarden.rules import DeckSetup, DeviceSetup, load_profile
from pitwarden.rules import TableSetup as RulesSetup
from pitwarden_simulators.table.setup import COLOURS, SimulatedTableSetup

_VISIBLE: Final = {"visible": True, "shielded": False, None: None}


def rules_setup(setup: SimulatedTableSetup) -> RulesSetup:
    """Return the rules' set-up of a simulated table."""
    reference = "SIM-1"
    devices = [
        DeviceSetup("shoe", "shoe", automated=setup.automated, procedure_ref=reference),
        DeviceSetup("shuffler", "shuffler", counts=setup.counting, procedure_ref=reference),
    ]
    if setup.reader is not None:
        devices.append(DeviceSetup("reader", "reader", procedure_ref=reference, player_visible=_VISIBLE[setup.reader]))
    return RulesSetup(
        profile=load_profile(setup.game, setup.in_set),
        positions=setup.positions,
        devices=tuple(devices),
        decks=tuple(DeckSetup(deck, COLOURS[deck]) for deck in setup.decks),
        mode="auto_shoe" if setup.automated else "manual_shoe",
    )
