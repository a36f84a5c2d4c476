"""Declared reads: each module of the rules core declares which rows of a profile it reads, and reads no other.

The coverage of a clause (`pitwarden clauses`) is made of these declarations and those of the checks. A test compares
them with the code and with what all scenarios read.
"""

from collections.abc import Mapping
from typing import Final, NoReturn, Protocol

from pitwarden.rules.profile.profile import ClauseRule, GameProfile

_PACKAGE: Final = "pitwarden.rules."


class UndeclaredReadError(LookupError):
    """A module reads a row of a profile that it has not declared.

    Policy: none at a table; a test of the declarations fails, and the row is added to the module's declaration.

    Example: `transitions.wagers does not declare that it reads 'insurance_first'`.
    """


class HoldsProfile(Protocol):
    """Set-up of a table."""

    @property
    def profile(self) -> GameProfile:
        """Game of the table."""

    @property
    def monitored(self) -> Mapping[str, ClauseRule]:
        """Rows of the profile that the table monitors, by key."""


class HoldsSetup(Protocol):
    """State of a table."""

    @property
    def setup(self) -> HoldsProfile:
        """Set-up of the table."""


class DeclaredRows:
    """Accessor of one module to the rows of a profile."""

    __slots__ = ("_known", "by", "decides", "module", "reads")

    def __init__(self, module: str, decides: tuple[str, ...], reads: tuple[str, ...], by: str = "") -> None:
        self.module = module
        self.by = by
        """Value of the parameter `by` with which a row of any key asks for this module; empty for none."""
        self.decides = decides
        """Keys of the rows under which the module refuses, notifies, asks for a duty or announces an outcome."""
        self.reads = reads
        """Keys of the rows of which it uses a parameter, or whether the game has them."""
        self._known = frozenset((*decides, *reads))

    def __call__(self, state: HoldsSetup, key: str) -> ClauseRule | None:
        """Return the row called `key` of the table's game; None when the game has no such clause.

        Raises:
            UndeclaredReadError: The module does not declare the row.
        """
        if key not in self._known:
            self._refuse(key)
        return state.setup.profile.by_key.get(key)

    def of(self, profile: GameProfile, key: str) -> ClauseRule | None:
        """Return the row called `key` of a game; None when the game has no such clause.

        Raises:
            UndeclaredReadError: The module does not declare the row.
        """
        if key not in self._known:
            self._refuse(key)
        return profile.by_key.get(key)

    def decide_in(self, profile: GameProfile) -> bool:
        """Return whether the game has a row under which the module acts."""
        return any(rule.key in self.decides or self.is_named_by(rule) for rule in profile.rules)

    def which_name_it(self, state: HoldsSetup) -> tuple[ClauseRule, ...]:
        """Return the rows, of any key, whose parameter `by` asks for this module: wagers with names of their own."""
        return tuple(rule for rule in state.setup.profile.rules if self.is_named_by(rule))

    def is_named_by(self, rule: ClauseRule) -> bool:
        """Return whether a row asks for this module by its parameter `by`."""
        return bool(self.by) and rule.param("by", default="") == self.by

    def monitored(self, state: HoldsSetup, key: str) -> ClauseRule | None:
        """Return the row called `key`; None when the game has no such clause, or the table does not monitor it.

        Raises:
            UndeclaredReadError: The module does not declare the row.
        """
        if key not in self._known:
            self._refuse(key)
        return state.setup.monitored.get(key)

    def _refuse(self, key: str) -> NoReturn:
        raise UndeclaredReadError(f"{self.module} does not declare that it reads {key!r}")


_DECLARED: Final[dict[str, DeclaredRows]] = {}


def declared(module: str, *, decides: tuple[str, ...] = (), reads: tuple[str, ...] = (), by: str = "") -> DeclaredRows:
    """Return the accessor of the module named `module`, and register what it declares."""
    made = DeclaredRows(module.removeprefix(_PACKAGE), decides, reads, by)
    _DECLARED[made.module] = made
    return made


def declarations() -> tuple[DeclaredRows, ...]:
    """Return what all imported modules declare, by the name of the module."""
    return tuple(_DECLARED[module] for module in sorted(_DECLARED))
