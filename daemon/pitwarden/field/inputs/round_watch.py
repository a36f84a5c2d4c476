"""Watch of the log of one epoch for rounds that may be open.

A named card may lie face down while a round is open, so an input that names one must not become a row then. The rules
core refuses it too, but it reads rows, and a row is published. This condition is therefore stricter than the rules':
any row that could begin a round, or that leaves unknown whether a card came out, counts until the next `kp.round_end`.
"""

from collections import deque
from typing import Final

from pitwarden.field.log.row_builder import Plain
from pitwarden_client.events.device import (
    DeviceCommand,
    DeviceCount,
    DeviceCover,
    DeviceHealth,
    DeviceIdentified,
    DeviceMaintenance,
    DeviceMeter,
    DevicePower,
    KeypadEntry,
    ShoeCut,
    ShoeEmpty,
    ShoeLoaded,
    ShoeUnloaded,
    ShufflerDone,
    ShufflerFault,
    ShufflerStarted,
)
from pitwarden_client.events.envelope import LogData, LogEvent
from pitwarden_client.events.floor import Retract
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.table import LogFault, TableEvent

_ROUND_END: Final = "kp.round_end"
_NEUTRAL_ACTS: Final = frozenset({
    "kp.dealer", "kp.mode", "kp.admit", "kp.collected", "kp.stub", "kp.hands", "kp.manual_shuffle", "kp.cut",
    "kp.mixed", "kp.exposed_in_mix", "kp.reshuffle", "kp.idle_spread",
})  # fmt: skip
"""Dealer acts that begin no round. An act that is not listed here may begin one."""
_NEUTRAL_EVENTS: Final = (
    DeviceCommand, DeviceCount, DeviceCover, DeviceIdentified, DeviceMaintenance, DeviceMeter, DevicePower, KeypadEntry,
    ShoeCut, ShoeEmpty, ShoeLoaded, ShoeUnloaded, ShufflerDone, ShufflerFault, ShufflerStarted, TableEvent,
)  # fmt: skip
"""Rows after which no more cards are out than before. A gap, a restart, or a lost device may hide a card."""


class RoundWatch:
    """Follower of the rows of one epoch that remembers whether a round may be open.

    It counts content from the moment in which it is offered: a card that waits for its commit is out already, and so is
    one that the log did not take and that its device repeats.
    """

    def __init__(self) -> None:
        # A round may be open since the epoch before, and a device may still hold cards that it has not reported.
        self._begun = 1
        self._ended = 0
        self._ended_at = 0
        self._ends: deque[int] = deque()

    @property
    def may_be_open(self) -> bool:
        """True unless the end of the round is in the log and nothing followed it that may begin the next."""
        return self._begun != self._ended

    def offered(self, content: Plain, *, taken: bool) -> None:
        """Count content for the log; where it was `taken`, `logged` follows with its row."""
        self._begun += self._may_begin(content)
        if taken and _is_end(content):
            self._ends.append(self._begun)

    def logged(self, row: LogEvent) -> None:
        """Follow a committed row. An end of a round counts from here on: before it, its commit may fail."""
        if isinstance(row.data, LogFault):
            # Reports were lost that no device repeats, and a card may be among them.
            self._begun += 1
        elif _is_end(row.data):
            self._ended, self._ended_at = self._ends.popleft(), row.tableseq

    def _may_begin(self, content: Plain) -> bool:
        if isinstance(content, InputLogged):
            act = content.act
            if isinstance(act, Retract):
                return act.number <= self._ended_at
            return act.act.startswith("kp.") and act.act != _ROUND_END and act.act not in _NEUTRAL_ACTS
        if isinstance(content, DeviceHealth):
            return content.state != "online"
        return not isinstance(content, _NEUTRAL_EVENTS)


def _is_end(content: Plain | LogData) -> bool:
    return isinstance(content, InputLogged) and content.act.act == _ROUND_END
