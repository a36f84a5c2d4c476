"""Second person of an act: confirmed by an input of that person at another login.

Each of the two persons keys the act at a login of their own and names the other one. The first input is answered that
it waits; the second becomes the row, which names both persons and both terminals. A login is what the broker vouches
for, so one person at one terminal cannot be both, whatever names are typed.

Threat: a person who enters a colleague's name as witness.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from pitwarden_client.events.base import Role
from pitwarden_client.events.inputs import Act, TerminalInput

# Milliseconds of log time that the first input waits for the second: both persons stand at the table or at a telephone.
# Log time moves by a row each 10 s at least, so a wait lasts up to 10 s longer.
WAIT_MS: Final = 60_000
# First inputs that wait at one table. Beyond it the oldest is dropped: a flood of them costs a person a second try.
MOST_WAITING: Final = 32
_OWN_WORDS: Final = frozenset({"reason", "ruling"})
"""Fields in which each person writes; the row has the words of the second one."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    login: tuple[Role, str]
    until_ms: int


class SecondPersons:
    """First inputs of acts that two persons do, which wait for the second one, in one epoch."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[tuple[str, str, str], _Waiting] = OrderedDict()

    def confirmed_at(self, role: Role, terminal: str, keyed: TerminalInput, log_ms: int) -> str | None:
        """Return the terminal at which the witness keyed the same act; None where that is awaited now.

        Args:
            role: Role of the login that sent the input.
            terminal: Terminal of that login.
            keyed: An input that names a witness.
            log_ms: Log time now.
        """
        witness, act = keyed.witness or "", _without_words(keyed.act)
        other = self._waiting.get((witness, keyed.person, act))
        if other is not None and other.until_ms >= log_ms and other.login != (role, terminal):
            del self._waiting[witness, keyed.person, act]
            return other.login[1]
        key = (keyed.person, witness, act)
        self._waiting[key] = _Waiting((role, terminal), log_ms + WAIT_MS)
        self._waiting.move_to_end(key)
        if len(self._waiting) > MOST_WAITING:
            self._waiting.popitem(last=False)
        return None


def _without_words(act: Act) -> str:
    return act.model_dump_json(exclude=set(_OWN_WORDS))
