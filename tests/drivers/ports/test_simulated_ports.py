"""The simulated far ends themselves: line faults do what they say, a null modem and a pty carry a whole dialogue."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwarden.system.clock import SystemClock
from pitwarden_client.events.device import ShoeCut
from pitwarden_drivers.errors import DeviceNotAcceptingError, PortUnavailableError
from pitwarden_drivers.ports.port import PortAddress
from pitwarden_simulators.ports import line_faults as lf
from pitwarden_simulators.ports.memory import NullModem
from pitwarden_simulators.ports.pty import PtyPort
from testkit.clocks.waiting import until
from testkit.devices.supervised_table import SupervisedTable
from testkit.devices.tdp_device import SpecifiedDevice
from testkit.ports.listener import RecordingListener

CHUNKS = st.lists(st.binary(min_size=1, max_size=50), max_size=20)


def seeded(seed: int) -> Random:
    return Random(seed)  # noqa: S311  the harm is to be the same each time


def through(fault: lf.LineFault, chunks: list[bytes]) -> list[bytes]:
    return [arrived for chunk in chunks for arrived in fault(chunk)]


@given(CHUNKS, st.integers())
def test_splitting_changes_no_byte(chunks: list[bytes], seed: int) -> None:
    arrived = through(lf.combined(lf.split(seeded(seed))), chunks)
    assert lf.joined(arrived) == lf.joined(chunks)
    assert all(arrived)


@given(CHUNKS, st.integers(), st.integers(1, 5))
def test_dropping_doubling_and_delaying_keep_the_order(chunks: list[bytes], seed: int, held: int) -> None:
    assert through(lf.drop(seeded(seed), 1.0), chunks) == []
    assert through(lf.drop(seeded(seed), 0.0), chunks) == chunks
    assert through(lf.duplicate(seeded(seed), 1.0), chunks) == [c for chunk in chunks for c in (chunk, chunk)]
    assert through(lf.duplicate(seeded(seed), 0.0), chunks) == chunks
    assert through(lf.delay(held), chunks) == chunks[: max(0, len(chunks) - held)]


@given(CHUNKS, st.integers())
def test_garbling_changes_one_bit_and_babble_adds_only(chunks: list[bytes], seed: int) -> None:
    for chunk in chunks:
        (harmed,) = lf.garble(seeded(seed), 1.0)(chunk)
        assert (int.from_bytes(chunk, "big") ^ int.from_bytes(harmed, "big")).bit_count() == 1
        assert lf.garble(seeded(seed), 0.0)(chunk) == [chunk]
        noise, kept = lf.babble(seeded(seed), 9)(chunk)
        assert kept == chunk
        assert len(noise) <= 9
    assert lf.garble(seeded(seed), 1.0)(b"") == [b""]


@settings(max_examples=20)
@given(st.integers())
def test_the_same_seed_does_the_same_harm(seed: int) -> None:
    def harmed() -> list[bytes]:
        random = seeded(seed)
        return through(lf.combined(lf.babble(random, 5), lf.garble(random, 0.5), lf.split(random)), [b"abcdef"] * 20)

    assert harmed() == harmed()


def test_a_fault_can_be_limited_to_the_first_chunks() -> None:
    assert through(lf.only_first(lf.drop(seeded(1), 1.0), 2), [b"a", b"b", b"c"]) == [b"c"]


async def test_a_null_modem_carries_a_dialogue_through_a_bad_line(tmp_path: Path) -> None:
    clock = SystemClock()
    device = SpecifiedDevice(heartbeat_ms=100)
    modem = NullModem(device, clock)
    random = seeded(7)
    modem.pump.to_host = lf.only_first(lf.combined(lf.drop(random, 0.2), lf.garble(random, 0.3), lf.split(random)), 60)
    modem.pump.to_device = lf.only_first(lf.combined(lf.duplicate(random, 0.3), lf.babble(random, 4)), 60)
    async with SupervisedTable(tmp_path, [SpecifiedDevice(mute=True)], ports=modem) as table:
        for _ in range(30):
            device.happens(ShoeCut())
            modem.pump.wake()
        modem.unplug(DeviceNotAcceptingError("unplugged by the test"))
        modem.unplug()
        await until(lambda: "lost port_unavailable" in table.states("d0"), pause=0.005)
        modem.plug()
        await until(lambda: len(table.events("d0")) == 30, pause=0.005)
        assert table.events("d0") == [(1, n) for n in range(1, 31)]
        assert modem.openings >= 1


async def test_a_null_modem_that_was_closed_is_deaf() -> None:
    device = SpecifiedDevice(heartbeat_ms=60_000)
    modem = NullModem(device, SystemClock())
    ear = RecordingListener()
    end = await modem.open(PortAddress("memory"), ear)
    await end.close()
    await end.close()
    end.write(b"late")
    modem.receive(b"late")
    modem.pump.wake()
    modem.unplug()
    assert device.heard == b""
    assert ear.faults == []
    with pytest.raises(PortUnavailableError, match="memory: it is unplugged"):
        await modem.open(PortAddress("memory"), ear)


async def test_a_pty_has_a_stable_name_and_loses_what_no_reader_takes(tmp_path: Path) -> None:
    device = SpecifiedDevice(heartbeat_ms=60_000)
    pty = PtyPort(tmp_path / "shoe", device, SystemClock())
    pty.unplug()
    pty.listen(on=False)
    with pty:
        pty.plug()
        assert pty.plugged
        assert pty.link.is_char_device()
        device.unsent += bytes(60_000)
        pty.pump.wake()
        device.unsent += bytes(60_000)
        pty.pump.wake()
        with pty.link.open("rb", buffering=0) as reader:
            got = bytearray()
            await until(lambda: got.extend(reader.read(4_096)) or len(got) >= 60_000)  # type: ignore[func-returns-value]  # extend gives None
    assert not pty.link.is_symlink()


async def test_a_killed_host_leaves_no_exclusive_use_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pitwarden_simulators.ports.pty._RELAX_S", 0.01)
    calls: list[int] = []
    monkeypatch.setattr("pitwarden_simulators.ports.pty.fcntl.ioctl", lambda fd, _code: calls.append(fd))
    with PtyPort(tmp_path / "shoe", SpecifiedDevice(), SystemClock()):
        await until(lambda: len(calls) >= 3, pause=0.001)
