"""What a kind of fault is: a name, a sentence, and how it is done to a rig and undone again."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random

from pitwarden_tools.campaign.rig import Rig

Do = Callable[[Rig, Random], Awaitable[None]]
"""Does the harm and heals it; play goes on meanwhile."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind. The same numbers from `Random` do the same harm."""

    name: str
    what: str
    do: Do
