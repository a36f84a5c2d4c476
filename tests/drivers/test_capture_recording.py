"""A device's dialogue is recorded as it is."""

import asyncio
import signal
import stat
import sys
from pathlib import Path

from pitwarden.cli.main import main
from pitwarden.system.clock import SystemClock
from pitwarden_client.events.device import ShoeCut
from pitwarden_drivers.api import ExpectedDevice, LineStats, PlainCard, Secret
from pitwarden_drivers.capture.format import CaptureStep
from pitwarden_drivers.capture.recorder import RecordingDriver
from pitwarden_drivers.registry import find_driver
from pitwarden_simulators.devices.memory import Memory
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.ports.pty import PtyPort
from testkit.clocks.waiting import until

HEEDING_CTRL_C = """
import signal, sys
from pitwarden.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # else a shell's background job ignores it
sys.exit(main(sys.argv[1:]))
"""


def test_a_dialogue_that_is_written_down_looks_as_it_does_alone() -> None:
    steps, expected = list[CaptureStep](), ExpectedDevice("shoe", "N42")
    alone, written = (
        driver.session(expected) for driver in (find_driver("tdp"), RecordingDriver(find_driver("tdp"), steps.append))
    )
    device = TdpDevice("shoe", "N42", Memory(1), heartbeat_ms=100)
    turn = alone.begin(0)
    assert written.begin(0) == turn
    for now in range(10, 1_000, 10):
        data = device.receive(now, turn.send) + device.tick(now) + b"\x7egarbage\x7e"
        turn = alone.receive(now, data)
        assert written.receive(now, data) == turn
        assert (written.identified, written.heard_at, written.stats) == (alone.identified, alone.heard_at, alone.stats)
    assert alone.identified
    assert alone.stats != LineStats()
    assert [step.op for step in steps].count("<") == 99


async def test_a_device_on_the_bench_is_recorded_and_replays_as_it_was(tmp_path: Path) -> None:
    memory = Memory(1)
    device = TdpDevice("shoe", "N42", memory, heartbeat_ms=100)
    memory.emit(PlainCard(Secret(39)))
    out = tmp_path / "n42.capture"
    with PtyPort(tmp_path / "n42", device, SystemClock()) as pty:
        recording = await asyncio.create_subprocess_exec(
            sys.executable, "-c", HEEDING_CTRL_C, "capture", "record", "--port", pty.link, "--family", "shoe",
            "--serial", "N42", "--simulated", "--how", "one card", "--out", out,
        )  # fmt: skip
        await until(lambda: not memory.kept, pause=0.005)
        memory.emit(ShoeCut())
        pty.pump.wake()
        await until(lambda: not memory.kept, pause=0.005)
        recording.send_signal(signal.SIGINT)
        assert await recording.wait() == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert main(["capture", "replay", "--bless", str(out)]) == 0
    assert main(["capture", "replay", str(out)]) == 0
    events = out.with_name("n42.capture.events").read_text()
    assert "1/1 shoe.card" in events
    assert "1/2 shoe.cut" in events
