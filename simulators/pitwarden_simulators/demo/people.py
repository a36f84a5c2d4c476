"""Player of a table's script in real time: inputs over MQTT, cards over the devices' ptys, the judge's state read."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, Protocol

from pitwarden_client.events.codec import encode
from pitwarden_client.events.inputs import InputReply, TerminalInput
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.errors import BusError, LinkDownError
from pitwarden_simulators.demo.errors import DemoError
from pitwarden_simulators.demo.watch import Watch
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.table.actions import Cable, DeviceName, KeyPress, Wait
from pitwarden_simulators.table.player import ScriptPlayer

_PATIENCE_S: Final = 45.0
_AGAIN_S: Final = 2.0
"""Seconds after which an input without an answer is sent again."""
_KEY_MS: Final = 300
_CARD_MS: Final = 500


class HasWake(Protocol):
    """Far end of one device's line."""

    def wake(self) -> None:
        """Notify the line that the device sensed an event."""
        ...

    def unplug(self) -> None:
        """Pull the cable."""
        ...

    def replug(self) -> None:
        """Plug the cable in again."""
        ...

    def noise(self) -> None:
        """Put noise on the line."""
        ...


class LivePeople(ScriptPlayer):
    """People of one table. `speed`: factor over real play, 0 for no pauses."""

    def __init__(
        self,
        topics: Topics,
        watch: Watch,
        publish: Callable[[str, bytes], asyncio.Future[None]],
        devices: Mapping[DeviceName, TdpDevice],
        plugs: Mapping[DeviceName, HasWake],
        *,
        run: str,
        speed: float,
    ) -> None:
        self._topics, self._watch, self._publish = topics, watch, publish
        self._devices, self._plugs = devices, plugs
        self._run, self._speed = run, speed
        self._keys = 0
        self._logged = 0
        self._round_from = 0

    def _state(self) -> TableState | None:
        return self._watch.state

    async def _wait(self, wait: Wait) -> None:
        if wait.whole:
            await asyncio.sleep(wait.ms / 1000)
        else:
            await self._pass(wait.ms)

    async def _pass(self, ms: int) -> None:
        if self._speed:
            await asyncio.sleep(ms / 1000 / self._speed)

    async def _key(self, key: KeyPress) -> None:
        """Send an act on the present state, again with the same id until it is answered."""
        await self._pass(_KEY_MS)
        watch = self._watch
        await watch.until(lambda: watch.judged() >= self._round_from, _PATIENCE_S, "the judge to see the round's end")
        self._keys += 1
        ident = f"{self._run}-{self._keys}"
        as_of = None if watch.state is None else watch.state.as_of
        terminal = f"{key.role}-1"
        payload = encode(TerminalInput(id=ident, person=key.person, as_of=as_of, act=key.act))
        try:
            async with asyncio.timeout(_PATIENCE_S):
                reply = await self._replied(self._topics.input(key.role, terminal), payload, ident)
        except TimeoutError:
            raise DemoError(f"waited {_PATIENCE_S:.0f} s in vain for an answer to {key.act.act}") from None
        except BusError as error:
            raise DemoError(f"{key.act.act} could not be sent: {error}") from error
        if reply.number is None:
            raise DemoError(f"{key.act.act} was refused: {reply.reason}")
        self._logged = max(self._logged, reply.number)
        if key.act.act == "kp.round_end":
            self._round_from = reply.number

    async def _replied(self, topic: str, payload: bytes, ident: str) -> InputReply:
        """Send an input, again until it is answered: it or its answer may be lost with the broker."""
        watch = self._watch
        while (reply := watch.reply(ident)) is None:
            with suppress(LinkDownError):
                await self._publish(topic, payload)
            with suppress(DemoError):
                await watch.until(lambda: watch.reply(ident) is not None, _AGAIN_S, "an answer")
        return reply

    async def _await_stored(self, name: DeviceName) -> None:
        await self._pass(_CARD_MS)
        memory, watch = self._devices[name].memory, self._watch
        self._plugs[name].wake()
        newest = (memory.boot, memory.newest)
        await watch.until(
            lambda: not memory.kept and (memory.newest == 0 or watch.stored(name) >= newest),
            _PATIENCE_S,
            f"the {name}'s events to be logged",
        )

    async def _seen(self) -> None:
        watch = self._watch
        number = max(self._logged, watch.number)
        await watch.until(lambda: watch.judged() >= number, _PATIENCE_S, f"the judge to reach row {number}")

    async def _green(self) -> None:
        await self._seen()
        watch = self._watch
        try:
            await watch.until(lambda: self._desk().granted and watch.light, _PATIENCE_S, "the deal permit")
        except DemoError as error:
            raise DemoError(f"{error}: {'; '.join(self._desk().reasons) or 'no reason is shown'}") from None

    def _cable(self, action: Cable) -> None:
        plug = self._plugs[action.device]
        match action.what:
            case "unplug":
                plug.unplug()
            case "replug":
                plug.replug()
            case "reboot":
                self._devices[action.device].reboot()
                plug.wake()
            case "noise":
                plug.noise()
