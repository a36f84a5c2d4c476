"""How each fault is committed: a small change to the table before a round, or to what its people will do."""

from collections.abc import Callable
from typing import Final

from pitwarden_simulators.table.table import Table

RIGS: Final[dict[str, Callable[[Table], None]]] = {}
