"""Gate of device commands, between the bus and the drivers.

Threat: a client that replays, forges, retains or delays commands, also one with the judge's login and without its key.
A command is committed before its device receives it.
A shoe is never locked during a round: the requester must have received every card and key so far, and the judge must
state that no round is in progress.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Protocol

import structlog

from pitwarden.bus.messages import Publisher
from pitwarden.field.inputs.input_gate import RefusalCounter
from pitwarden.field.log.row_builder import NumberedLog, PendingRow
from pitwarden.field.log.sequencer import OWN
from pitwarden.system.clock import LogTime
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import BadPayloadError, decode, encode
from pitwarden_client.events.device import CommandName, DeviceOrder, ReaderInserted, Refusal, ShoeCard, ShoeStack
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.inputs import InputLogged, InputReply
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.table import CommandAccepted, CommandRefused
from pitwarden_client.events.topics import Topics
from pitwarden_client.verification.errors import SealUnreadableError
from pitwarden_client.verification.signed_rows import verify_order

# Latest expiry of a command, in ms of log time from now. A permit lasts half as long, so a later expiry was computed
# from another clock; the command is refused as stale.
MOST_AHEAD_MS: Final = 60_000
# Seconds that a command waits for the rows before it to be committed. A commit takes milliseconds; a disk that needs
# longer accepts no command either, so it is refused with `no_room`.
SETTLE_S: Final = 5.0
# Command ids remembered to reject replays. A command expires after MOST_AHEAD_MS (60 s); a judge sends at most a few
# per second, so 1,000 covers the window.
KEPT_IDS: Final = 1_000

_WORDS: Final[dict[Refusal, str]] = {
    "retained": "a retained command is never obeyed",
    "unreadable": "this is no command",
    "unknown_device": "the table has no such device",
    "repeated": "this id was used before; nothing is done twice",
    "stale": "the state that it acts on is not the table's present one",
    "in_round": "a shoe is locked between rounds only, as of a state that knows every card and key",
    "not_configured": "the table file does not let this device be locked",
    "no_room": "the table's log takes nothing now",
}

_log = structlog.get_logger()


class CommandLog(NumberedLog, Protocol):
    """Log of a table. A command is committed to it before its device receives it."""

    async def idle(self) -> None:
        """Return once all offered rows are committed. Until the caller waits again, no other row gets a number."""
        ...


class CommandSink(Protocol):
    """Drivers of a table's devices."""

    def command(self, device: str, request: str, command: CommandName) -> None:
        """Hand a command to the driver of `device`."""
        ...


@dataclass(frozen=True, slots=True)
class InboundCommand:
    """Command as it arrived, unverified."""

    device: str
    payload: bytes
    retained: bool


@dataclass(frozen=True, slots=True)
class CommandKeys:
    """Keys that may sign commands for one table. Without `trusted` ones a command needs no signature."""

    site: str
    table: str
    trusted: tuple[str, ...] = ()

    def reason_against(self, device: str, order: DeviceOrder) -> str:
        """Return why `order` is not one of a judge of this table; empty when it is."""
        if not self.trusted:
            return ""
        try:
            verify_order(order, device, self.site, self.table, self.trusted)
        except SealUnreadableError as error:
            return str(error)
        return ""


class CommandGate:
    """Gate that accepts or refuses commands for one epoch of one table. `lockable` devices may be locked."""

    def __init__(
        self,
        epoch: str,
        devices: Collection[str],
        lockable: Collection[str],
        *,
        time: LogTime,
        log: CommandLog,
        drivers: CommandSink,
        link: Publisher,
        topics: Topics,
        refusals: RefusalCounter,
        judges: CommandKeys,
    ) -> None:
        self._judges = judges
        self._epoch, self._devices, self._lockable = epoch, devices, lockable
        self._time, self._log, self._drivers = time, log, drivers
        self._link, self._topics, self._refusals = link, topics, refusals
        self._used: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._reported: set[str | tuple[str, Refusal]] = set()
        self._last_play = 0
        self._between_rounds = False

    def logged(self, row: LogEvent) -> None:
        """Follow inputs and cards: after a dealer's key or a card, a lock needs a state that includes it."""
        keyed = isinstance(row.data, InputLogged) and row.data.act.act.startswith("kp.")
        if keyed or isinstance(row.data, ShoeCard | ShoeStack | ReaderInserted):
            self._last_play = row.tableseq

    def state(self, state: TableState) -> None:
        """Handle a state of the judge: whether a round is in progress."""
        self._between_rounds = state.as_of.epoch == self._epoch and not state.in_round

    async def process(self, order: InboundCommand) -> None:
        """Answer one command; an accepted one goes to its device after its commit."""
        if order.device not in self._devices:
            self._refuse("", order, "unknown_device")
            return
        if order.retained:
            self._refuse("", order, "retained")
            return
        try:
            wanted = decode(DeviceOrder, order.payload)
        except BadPayloadError as error:
            self._refuse("", order, "unreadable", str(error))
            return
        forged = self._judges.reason_against(order.device, wanted)
        if forged:
            self._refuse(wanted.id, order, "unreadable", forged)
            return
        refusal: Refusal | None
        try:
            async with asyncio.timeout(SETTLE_S):
                # From here to the offer there is no other await, so no row can be numbered between check and offer.
                await self._log.idle()
        except TimeoutError:
            refusal = "no_room"
        else:
            refusal = self._against(order.device, wanted)
        if refusal is not None:
            self._refuse(wanted.id, order, refusal)
            return
        accepted = CommandAccepted(device=order.device, request=wanted.id, command=wanted.command, as_of=wanted.as_of)
        if not self._log.offer(PendingRow(OWN, accepted, done=lambda row: self._committed(accepted, row))):
            self._refuse(wanted.id, order, "no_room")
            return
        self._used[order.device, wanted.id] = None
        if len(self._used) > KEPT_IDS:
            self._used.popitem(last=False)

    def _against(self, device: str, wanted: DeviceOrder) -> Refusal | None:
        if (device, wanted.id) in self._used:
            return "repeated"
        if not self._is_fresh(wanted.as_of, wanted.until_ms):
            return "stale"
        if wanted.command != "report_count" and device not in self._lockable:
            return "not_configured"
        in_play = not self._between_rounds or wanted.as_of.number < self._last_play
        return "in_round" if wanted.command == "lock" and in_play else None

    def _is_fresh(self, as_of: Position, until_ms: int) -> bool:
        now = self._time.log_ms()
        return (
            as_of.epoch == self._epoch and as_of.number <= self._log.newest and now <= until_ms <= now + MOST_AHEAD_MS
        )

    def _committed(self, accepted: CommandAccepted, row: LogEvent) -> None:
        self._reply(accepted.device, InputReply(id=accepted.request, accepted=True, number=row.tableseq))
        self._drivers.command(accepted.device, accepted.request, accepted.command)

    def _reply(self, device: str, reply: InputReply) -> None:
        self._link.publish(self._topics.command_reply(device), encode(reply))

    def _refuse(self, ident: str, order: InboundCommand, refusal: Refusal, detail: str = "") -> None:
        self._refusals.refused("command", refusal)
        _log.warning("command refused", device=order.device, reason=refusal, detail=detail)
        words = f"{_WORDS[refusal]}{': ' if detail else ''}{detail}"
        self._reply(order.device, InputReply(id=ident or refusal, accepted=False, reason=words[:500]))
        # Senders can invent names without end, so all unknown devices count as one subject.
        subject = refusal if refusal == "unknown_device" else (order.device, refusal)
        if subject not in self._reported and refusal != "no_room":
            self._reported.add(subject)
            self._log.offer(PendingRow(OWN, CommandRefused(device=order.device, reason=refusal)))
