"""`pitwarden devices`: what is plugged in is named as the table file wants it, asked on request, and compared."""

import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pitwarden.cli.devices import AWAKE, NO_MODEM
from pitwarden.cli.main import main
from pitwarden.system.clock import SystemClock
from pitwarden_drivers.ports.addresses import check_address
from pitwarden_drivers.ports.discovery import interfaces, serial_lines
from pitwarden_drivers.ports.port import run_with_deadline
from pitwarden_simulators.ports.pty import PtyPort
from testkit.clocks.waiting import PATIENCE_S
from testkit.devices.tdp_device import SpecifiedDevice
from testkit.ports.sysfs import FakeSys
from testkit.tables.shipped_examples import attested_text

TABLE = attested_text("triple-attack-blackjack").partition("[devices.")[0]
RULES = (Path(__file__).parents[2] / "config/udev/70-pitwarden.rules").read_text()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is asked in these tests answers."""
    monkeypatch.setattr("pitwarden.cli.devices.ANSWER_S", PATIENCE_S)


@pytest.fixture
def machine(tmp_path: Path) -> FakeSys:
    return FakeSys(tmp_path / "root")


@asynccontextmanager
async def far_end(folder: Path, name: str, device: SpecifiedDevice) -> AsyncIterator[Path]:
    with PtyPort(folder / name, device, SystemClock()) as pty:
        yield pty.link


async def devices(machine: FakeSys, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    argv = ["devices", "--root", str(machine.root), *words]
    code = await run_with_deadline("devices", lambda: main(argv), 60.0, lambda _: None)
    return code, capsys.readouterr().out


def blocks(said: str) -> dict[str, dict[str, object]]:
    """Return the printed blocks, read as TOML."""
    lines = [line.strip() for line in said.splitlines() if line.startswith("    ") and "# udev" not in line]
    found: dict[str, dict[str, object]] = {}
    for at, text in enumerate("\n".join(lines).split("[devices.")[1:]):
        name, _, rest = text.partition("]")
        found[f"{name}{at}"] = tomllib.loads(rest)
    return found


def table_file(folder: Path, *sections: tuple[str, str, str, str]) -> Path:
    """Devices as name, port, serial and firmware."""
    file = folder / "table.toml"
    file.write_text(
        TABLE
        + "".join(
            f'[devices.{name}]\nfamily = "{name}"\nport = "{port}"\nserial = "{serial}"\nfirmware = ["{firmware}"]\n'
            'procedure = "IC-1"\n' + ("player_visible = false\n" if name == "reader" else "")
            for name, port, serial, firmware in sections
        )
    )
    return file


async def test_what_is_plugged_in_has_a_place_that_a_table_file_takes(
    machine: FakeSys, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.serial("ttyUSB0", "1-2", "A100")
    machine.usb("1-3", "N42")
    machine.usb("1-4", "S-9", "03")
    machine.usb("1-5", "KBD", "08")
    machine.usb("1-6", "HUB", kind="09")
    machine.usb("1-7", "no spaces")
    code, said = await devices(machine, capsys)
    assert code == 0
    assert [block["port"] for block in blocks(said).values()] == [
        "/dev/serial/by-id/usb-A100-if00", "usb://1209:0001/N42", "hid://1209:0001/S-9",
    ]  # fmt: skip
    for block in blocks(said).values():
        check_address(str(block["port"]), simulated=False)
    assert "KBD" not in said
    assert "HUB" not in said
    assert "no stable name" in said
    assert f'ENV{{ID_SERIAL_SHORT}}=="A100", GROUP="pitwarden", MODE="0660", {NO_MODEM}' in said
    assert f'ATTR{{serial}}=="N42", GROUP="pitwarden", MODE="0660", {AWAKE}' in said


async def test_two_adapters_with_one_serial_number_are_named_by_their_sockets(
    machine: FakeSys, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.serial("ttyUSB0", "1-2", "0001", by_id=False)
    machine.serial("ttyUSB1", "1-3", "0001")
    machine.usb("1-5", "N42")
    machine.usb("1-6", "N42")
    _, said = await devices(machine, capsys)
    assert [block["port"] for block in blocks(said).values()] == [
        "/dev/serial/by-path/pci-0-usb-0:2:1.0-port0", "/dev/serial/by-path/pci-0-usb-0:3:1.0-port0",
        "usb://1209:0001/N42?port=1-5", "usb://1209:0001/N42?port=1-6",
    ]  # fmt: skip
    assert 'ENV{ID_PATH}=="pci-0-usb-0:3:1.0"' in said
    assert said.count("would not tell it from another") == 2


async def test_a_line_that_is_not_on_usb_and_one_that_is_going_away_are_listed_by_their_names(
    machine: FakeSys, capsys: pytest.CaptureFixture[str]
) -> None:
    by_path = machine.root / "dev/serial/by-path"
    (by_path / "pci-0000:00:16.3-port0").symlink_to("../../ttyS4")
    (machine.root / "sys/devices/platform/ttyS4").mkdir(parents=True)
    (machine.root / "sys/class/tty/ttyS4").symlink_to(machine.root / "sys/devices/platform/ttyS4")
    (machine.root / "sys/class/tty/ttyUSB9").symlink_to(machine.root / "sys/devices/gone")
    (by_path / "README").write_text("no link")
    machine.usb("1-3", "N42").joinpath("product").unlink()
    _, said = await devices(machine, capsys)
    assert [block["port"] for block in blocks(said).values()] == [
        "/dev/serial/by-path/pci-0000:00:16.3-port0", "usb://1209:0001/N42",
    ]  # fmt: skip
    assert "serial line ttyS4\n" in said


async def test_the_device_queried_is_named_with_its_block_and_no_other_is_queried(
    machine: FakeSys, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    device = SpecifiedDevice("shuffler", "F-7", firmware='3 "beta"')
    async with far_end(tmp_path, "d0", device) as end:
        machine.serial("ttyUSB0", "1-2", "A100", far_end=end)
        machine.serial("ttyUSB1", "1-3", "A101")
        code, said = await devices(machine, capsys, "--ask")
        assert code == 0
        assert blocks(said)["shuffler0"] == {
            "family": "shuffler", "port": "/dev/serial/by-id/usb-A100-if00", "serial": "F-7", "firmware": ['3 "beta"'],
        }  # fmt: skip
        assert "it cannot be opened, ENOENT" in said
        assert not device.live
        assert not device.commands


SHOE = SpecifiedDevice("shoe", "N42")
FOREIGN = SpecifiedDevice("shoe", "N99")
NEWER = SpecifiedDevice("shoe", "N42", firmware="9")
IMPOSTOR = SpecifiedDevice("reader", "N42")
SHUFFLER = SpecifiedDevice("shuffler", "F-7")


@pytest.mark.parametrize(
    ("there", "words"),
    [
        (SHOE, "devices.shoe of the table file, as configured"),
        (SHUFFLER, "should be N42, but F-7 answers: that is devices.shuffler: the cables are exchanged"),
        (FOREIGN, "should be N42, but N99 answers: no device of this table"),
        (NEWER, "has firmware 9, approved are 2.1.0"),
        (IMPOSTOR, "should be a shoe, but a reader answers under its number"),
    ],
)
async def test_a_device_that_is_not_the_configured_one_is_named(
    machine: FakeSys, capsys: pytest.CaptureFixture[str], tmp_path: Path, there: SpecifiedDevice, words: str
) -> None:
    async with far_end(tmp_path, "d0", there) as end:
        machine.serial("ttyUSB0", "1-2", "A100", far_end=end)
        machine.usb("1-8", "F-7")
        config = table_file(
            tmp_path,
            ("shoe", "/dev/serial/by-id/usb-A100-if00", "N42", "2.1.0"),
            ("shuffler", "usb://1209:0001/F-7", "F-7", "2.1.0"),
        )
        ended, said = await devices(machine, capsys, "--ask", "--config", str(config))
    assert words in said
    assert ended == (there is not SHOE)


async def test_a_configured_place_where_nothing_is_and_a_bad_table_file_are_said(
    machine: FakeSys, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    config = table_file(tmp_path, ("shoe", "/dev/serial/by-id/usb-A100-if00", "N42", "2.1.0"))
    code, said = await devices(machine, capsys, "--config", str(config))
    assert code == 1
    assert "devices.shoe: nothing is plugged in at /dev/serial/by-id/usb-A100-if00" in said
    config.write_text("[table]\n")
    code, _ = await devices(machine, capsys, "--config", str(config))
    assert code == 78


def test_the_shipped_udev_rules_keep_modem_probers_off_and_usb_awake() -> None:
    lines = [line for line in RULES.splitlines() if line.startswith(("#SUBSYSTEM", "#ACTION"))]
    assert len(lines) == 4
    of_ports, of_devices = ([line for line in lines if kind in line] for kind in ('"tty"', '"usb"'))
    assert of_ports
    assert of_devices
    assert [line for line in of_ports if NO_MODEM not in line] == []
    assert [line for line in of_devices if AWAKE not in line] == []


async def test_a_machine_without_serial_lines_or_usb_has_nothing_plugged_in(tmp_path: Path) -> None:
    assert serial_lines(tmp_path) == ()
    assert interfaces(tmp_path) == ()
