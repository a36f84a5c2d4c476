"""Property: loss, noise, doubles, reconnects, restarts never lose an event in silence and never give one twice."""

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import example, given, settings
from hypothesis import strategies as st

from pitwarden_client.events.device import DeviceGap, DeviceRestarted, ShoeCut, ShoeUnloaded
from pitwarden_drivers.api import PlainCard, PlainStack, Said, Secret
from pitwarden_drivers.errors import DeviceSilentError
from testkit.devices.tdp_device import SpecifiedDevice
from testkit.devices.tdp_line import TdpLine

SAID = st.sampled_from(
    [PlainCard(Secret(39)), PlainStack(3, (Secret(1), Secret(2), Secret(3))), ShoeCut(), ShoeUnloaded(count=12)]
)


@dataclass(frozen=True)
class Say:
    said: Said


@dataclass(frozen=True)
class Pass:
    ms: int


@dataclass(frozen=True)
class Line:
    """What the line does to each chunk from here on."""

    fault: str
    at: int


STEPS = st.lists(
    st.one_of(
        st.builds(Say, SAID),
        st.builds(Pass, st.sampled_from([50, 600, 1_500])),
        st.builds(Line, st.sampled_from(["clean", "drop", "double", "garble", "cut", "babble"]), st.integers(0, 200)),
        st.sampled_from(["reconnect", "restart", "commit", "hold"]),
    ),
    max_size=30,
)


def faulty(step: Line) -> Callable[[bytes], bytes]:
    def garble(data: bytes) -> bytes:
        at = step.at % len(data) if data else 0
        return data[:at] + bytes((data[at] ^ 0x41,)) + data[at + 1 :] if data else data

    return {
        "clean": lambda data: data,
        "drop": lambda _data: b"",
        "double": lambda data: data + data,
        "garble": garble,
        "cut": lambda data: data[: step.at],
        "babble": lambda data: b"\x7e\x41\x42" + data + b"\x7d\x7e\x00",
    }[step.fault]


def played(steps: list[object], *, keeps: bool) -> tuple[TdpLine, list[tuple[int, int, Said]]]:
    """Return the log after `steps` and some quiet seconds, and the events that the device sensed."""
    line = TdpLine(SpecifiedDevice(keeps=keeps))
    truth: list[tuple[int, int, Said]] = []
    for step in [*steps, Line("clean", 0), "commit", *([Pass(2_500)] * 3)]:
        try:
            match step:
                case Say(said=said):
                    boot = line.device.boot
                    truth.append((boot, line.device.newest.get(boot, 0) + 1, said))
                    line.heard(line.device.emit(said))
                case Pass(ms=ms):
                    line.run(ms)
                case Line():
                    line.to_host = line.to_device = faulty(step)
                case "restart":
                    line.device.restart(line.device.boot + 1)
                case "commit" | "hold":
                    line.commits = step == "commit"
                case _:
                    line.open()
        except DeviceSilentError:
            line.open()
    return line, truth


@settings(max_examples=150, deadline=None)
@given(STEPS)
@example(["hold", Say(ShoeCut()), "restart", Pass(50), "reconnect", "restart"])
@example(["restart", Say(ShoeCut()), "restart", "reconnect"])
@example([Line("drop", 0), Say(ShoeCut()), Line("cut", 33), "restart", Pass(50)])
def test_with_a_memory_every_event_arrives_once_and_in_order(steps: list[object]) -> None:
    line, truth = played(steps, keeps=True)
    arrived = [(r.boot, r.counter, r.said) for r in line.log if r.counter]
    assert arrived == truth


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_without_a_memory_every_loss_is_said(steps: list[object]) -> None:
    line, truth = played(steps, keeps=False)
    arrived = [(r.boot, r.counter, r.said) for r in line.log if r.counter and not isinstance(r.said, DeviceGap)]
    assert [event for event in truth if event in arrived] == arrived
    missing = [event for event in truth if event not in arrived]
    restarts = {r.said.boot for r in line.log if isinstance(r.said, DeviceRestarted)}
    for boot, _counter, _said in missing:
        assert any(later > boot for later in restarts) or line.device.boot > boot
