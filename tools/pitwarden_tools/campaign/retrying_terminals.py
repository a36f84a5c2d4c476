"""Terminals that retry: an input is sent again with its id until it is answered."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Final, Protocol

from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import encode
from pitwarden_client.events.floor import FtDeckVerified
from pitwarden_client.events.inputs import InputReply, TerminalInput
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.errors import BusError
from pitwarden_simulators.demo.errors import DemoError
from pitwarden_simulators.table.actions import Action, Cable, DeviceName, KeyPress, Wait
from pitwarden_simulators.table.player import ScriptPlayer
from pitwarden_simulators.table.table_builder import Built
from pitwarden_tools.campaign.log_view import End

PATIENCE_S: Final = 90.0
_AGAIN_S: Final = 1.0
_STALE: Final = ("another epoch", "before this round", "does not exist", "try again")


class Wakeable(Protocol):
    """Cable of a device that has sensed an event."""

    def wake(self) -> None:
        """Let the device send it."""
        ...


class DiskView(Protocol):
    """Log on the disk, as people at a screen know it."""

    def end(self) -> End | None:
        """Return the last committed row; None before the first."""
        ...

    def place_of(self, at: Position) -> int:
        """Return the place of a row; 0 when it is absent."""
        ...

    def permitted(self) -> bool:
        """Return whether the table last displayed that dealing is permitted."""
        ...


class TableRig(Protocol):
    """Table whose people are played: its physics, its bus, its log."""

    topics: Topics
    built: Built
    state: TableState | None
    replies: dict[str, InputReply]
    accepted: dict[str, str]

    @property
    def plugs(self) -> Mapping[DeviceName, Wakeable]:
        """Cables of the devices."""
        ...

    @property
    def view(self) -> DiskView:
        """Log on the disk."""
        ...

    def judged(self) -> int:
        """Return the place of the last row that the retained state covers; 0 for none."""
        ...

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> "asyncio.Future[None]":
        """Publish a message."""
        ...

    async def until(self, true: Callable[[], bool], seconds: float, what: str) -> None:
        """Wait until `true()`.

        Raises:
            DemoError: That takes more than `seconds`.
        """
        ...


class RetryingTerminal(ScriptPlayer):
    """People of one table. `before` is awaited before each action with its number, from 1."""

    def __init__(self, rig: TableRig, before: Callable[[int], Awaitable[None]]) -> None:
        self._rig, self._before = rig, before
        self.actions = 0
        self._keys = 0
        self._round_place = 0

    async def settle(self) -> None:
        """Wait until the judge has evaluated all, dealing is permitted again, and no device moves."""
        await self._green()

    async def _perform(self, action: Action) -> None:
        self.actions += 1
        await self._before(self.actions)
        await super()._perform(action)

    def _state(self) -> TableState | None:
        return self._rig.state

    async def _await_stored(self, name: DeviceName) -> None:
        memory = self._rig.built.devices[name].memory
        self._rig.plugs[name].wake()
        await self._rig.until(lambda: not memory.kept, PATIENCE_S, f"the {name}'s events to be logged")

    async def _wait(self, wait: Wait) -> None:
        """Wait only where a deadline of the rules requires it; speed does not matter here."""
        if wait.whole:
            await self._rig.until(_after(wait.ms), PATIENCE_S, "time to pass")

    def _cable(self, action: Cable) -> None:
        """Do nothing: the campaign acts on the cables."""

    async def _seen(self) -> None:
        end = self._rig.view.end()
        place = 0 if end is None else end.place
        await self._rig.until(lambda: self._rig.judged() >= place, PATIENCE_S, f"the judge to reach place {place}")

    async def _green(self) -> None:
        await self._seen()
        rig = self._rig

        def granted() -> bool:
            return self._desk().granted and rig.view.permitted()

        while not granted():
            await rig.until(lambda: granted() or self._in_doubt(), PATIENCE_S, "the deal permit")
            # The disk was full: the floor counts the cards of which the log is not certain.
            if self._in_doubt():
                for deck in rig.built.table.setup.decks:
                    await self._key(KeyPress("floor", "f1", FtDeckVerified(deck=deck)))
                await self._seen()

    def _in_doubt(self) -> bool:
        return any(case.catalogue == "PW-LOG" for case in self._desk().open)

    async def _key(self, key: KeyPress) -> None:
        while True:
            await self._fresh()
            reply = await self._replied(key)
            if reply.accepted:
                self._rig.accepted[reply.id] = key.act.act
                end = self._rig.view.end()
                if key.act.act == "kp.round_end" and end is not None:
                    self._round_place = end.place
                return
            if not any(words in reply.reason for words in _STALE):
                raise DemoError(f"{key.act.act} was refused: {reply.reason}")

    async def _fresh(self) -> None:
        """Wait for a state of the log's epoch, from after the last round's end."""
        rig = self._rig

        def shown() -> bool:
            end = rig.view.end()
            if end is None or rig.state is None:
                return False
            return rig.state.as_of.epoch == end.at.epoch and rig.judged() >= self._round_place

        await rig.until(shown, PATIENCE_S, "a state to act on")

    async def _replied(self, key: KeyPress) -> InputReply:
        """Return the reply to one input, sent repeatedly with one id."""
        rig = self._rig
        self._keys += 1
        ident = f"c-{self._keys}"
        as_of = None if rig.state is None else rig.state.as_of
        payload = encode(TerminalInput(id=ident, person=key.person, as_of=as_of, act=key.act))
        topic = rig.topics.input(key.role, f"{key.role}-1")
        for _ in range(int(PATIENCE_S / _AGAIN_S)):
            with suppress(BusError):  # the broker does not answer: retry
                await rig.publish(topic, payload)
            try:
                await rig.until(lambda: ident in rig.replies, _AGAIN_S, "an answer")
            except DemoError:
                continue
            return rig.replies[ident]
        raise DemoError(f"{key.act.act} got no answer for {PATIENCE_S:.0f} s")


def _after(ms: int) -> Callable[[], bool]:
    loop = asyncio.get_running_loop()
    end = loop.time() + ms / 1_000
    return lambda: loop.time() >= end
