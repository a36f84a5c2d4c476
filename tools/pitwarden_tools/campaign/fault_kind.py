"""Kind of fault: a name, a sentence, and a function that injects it into a rig and ends it again."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random

from pitwarden_tools.campaign.rig import Rig

Do = Callable[[Rig, Random], Awaitable[None]]
"""Injects the fault and ends it; play continues meanwhile."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Kind of fault. The same numbers from `Random` give the same fault."""

    name: str
    what: str
    do: Do
