"""The conformance kit: honest devices keep every obligation, and each faulty one is caught at its own clause first."""

import pytest

from pitwarden.cli.main import main
from pitwarden.system.clock import SystemClock
from pitwarden_drivers.ports.port import run_with_deadline
from pitwarden_simulators.conformance.channel import BenchChannel
from pitwarden_simulators.conformance.command import simulated
from pitwarden_simulators.conformance.defective import DEFECTS
from pitwarden_simulators.conformance.kit import OBLIGATIONS, play
from pitwarden_simulators.conformance.operator import Person
from pitwarden_simulators.conformance.simulated import MAKERS
from pitwarden_simulators.conformance.wire import MemoryWire
from pitwarden_simulators.devices.memory import Memory
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.obligations import ObligationFinding
from pitwarden_simulators.ports.tcp import TcpPort


def broken(findings: tuple[ObligationFinding, ...]) -> list[str]:
    return [one.name for one in findings if one.outcome == "BROKEN"]


@pytest.mark.parametrize("family", MAKERS)
async def test_a_simulated_device_keeps_every_obligation(family: str) -> None:
    findings = await play(simulated(family))  # type: ignore[arg-type]  # MAKERS' own keys
    assert broken(findings) == []
    assert [one.name for one in findings] == [one.name for one in OBLIGATIONS]
    unplayed = [one.name for one in findings if one.outcome == "not played"]
    missing = {"shoe": [], "keypad": ["7 Lists: stacks", "5 Faults: latched"]}
    assert unplayed == missing.get(family, ["7 Lists: stacks"])


@pytest.mark.parametrize("defect", DEFECTS)
async def test_a_device_that_breaks_an_obligation_is_caught_at_its_clause(defect: str) -> None:
    assert broken(await play(simulated("shoe", defect)))[0] == DEFECTS[defect][0]


def test_each_obligation_has_a_device_that_breaks_it() -> None:
    assert {clause for clause, _, _ in DEFECTS.values()} == {one.name for one in OBLIGATIONS}


async def test_an_action_that_no_operator_does_is_not_played() -> None:
    said: list[str] = []
    person = Person(said.append, willing=False)
    device = TdpDevice("shoe", "SIM-1", Memory(1))
    findings = await play(BenchChannel(MemoryWire(device), person))
    assert broken(findings) == []
    assert {one.words for one in findings if one.outcome == "not played"} >= {
        "fewer than 1 events were sensed", "nobody makes a fault", "no event was sensed",
    }  # fmt: skip
    assert ">>> let the device sense 1 event(s): draw, shuffle or insert cards" in said
    willing = Person(said.append, willing=True)
    assert (willing.fault(), willing.restart()) == (True, True)
    assert len([one for one in said if "jam" in one]) == 2


async def test_a_device_behind_tcp_is_tried_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    device = TdpDevice("shoe", "SIM-1", Memory(1), heartbeat_ms=100)
    async with TcpPort(device, SystemClock()) as port:
        argv = ["conformance", "--device", port.url, "--only", "8 Commands"]
        assert await run_with_deadline("conformance", lambda: main(argv), 60.0, lambda _: None) == 0
        assert "TDP 1: 5 kept, 0 broken, 0 not played" in capsys.readouterr().out
    assert await run_with_deadline("conformance", lambda: main(argv), 60.0, lambda _: None) == 78


@pytest.mark.parametrize(
    ("device", "words"),
    [("simulated:wheel", "simulated are shoe"), ("ttyUSB0", "absolute path"), ("foo://x:1", "HOST")],
)
def test_a_device_that_is_none_is_named(device: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "--device", device]) == 78
    assert words in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--defect", "--slip"])
def test_a_broken_obligation_ends_with_1(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "--device", "simulated:shoe", option, "timeless", "--only", "8 Commands"]) == 1
    assert "BROKEN      8 Commands: too late" in capsys.readouterr().out
