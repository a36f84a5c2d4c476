"""Asks a port who is there, unless somebody has it open; bounded by two seconds a port."""

import asyncio

from pitwarden.system.clock import Clock
from pitwarden_drivers.faults import DeviceFault
from pitwarden_drivers.ports.api import Line
from pitwarden_drivers.ports.opening import Ports
from pitwarden_drivers.tdp.asking import Somebody, WhoIsThere

ANSWER_S = 2.0
AGAIN_S = 0.5


class _Ear:
    """Hears the port until somebody answers or it is lost."""

    def __init__(self, question: WhoIsThere) -> None:
        self.answer: asyncio.Future[Somebody] = asyncio.get_running_loop().create_future()
        self._question = question

    def received(self, data: bytes) -> None:
        """Bytes came."""
        somebody = self._question.receive(data)
        if somebody is not None and not self.answer.done():
            self.answer.set_result(somebody)

    def lost(self, fault: DeviceFault) -> None:
        """The port is of no more use."""
        if not self.answer.done():
            self.answer.set_exception(fault)


async def ask(ports: Ports, place: str, clock: Clock) -> Somebody | str:
    """Who is at `place`, or a sentence why nobody knows."""
    question = WhoIsThere(clock.mono_ms())
    ear = _Ear(question)
    try:
        port = await ports.open(Line(place), ear)
    except DeviceFault as fault:
        return str(fault)
    try:
        async with asyncio.timeout(ANSWER_S):
            while True:
                port.write(question.question())
                done, _ = await asyncio.wait({ear.answer}, timeout=AGAIN_S)
                if done:
                    return ear.answer.result()
    except DeviceFault as fault:
        return str(fault)
    except TimeoutError:
        return f"nobody answers TDP's question in {ANSWER_S:g} s: another protocol, another speed, or switched off"
    finally:
        ear.answer.cancel()
        await port.close()
