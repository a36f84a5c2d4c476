"""All kinds of simulated faults."""

from typing import Final

from pitwarden_tools.simulation.kind import SimulatedKind
from pitwarden_tools.simulation.machine_faults import MACHINE_KINDS
from pitwarden_tools.simulation.network_faults import NETWORK_KINDS
from pitwarden_tools.simulation.table_faults import TABLE_KINDS

KINDS: Final[tuple[SimulatedKind, ...]] = (*NETWORK_KINDS, *MACHINE_KINDS, *TABLE_KINDS)
BY_NAME: Final = {kind.name: kind for kind in KINDS}
"""Kinds by their names: a plan names them, so that it can be sent to another process."""
