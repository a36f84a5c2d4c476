"""The session kit: the drivers of the package keep every obligation, and each faulty one is caught at its own first."""

import re
import sys
from pathlib import Path

import pytest
from crccheck.checksum import ChecksumXor8
from crccheck.crc import Crc16Arc

from pitwarden.cli.main import main
from pitwarden_drivers.api import Driver
from pitwarden_drivers.registry import find_driver
from pitwarden_simulators.session_kit.device import SIMULATED, DeviceMaker
from pitwarden_simulators.session_kit.kit import OBLIGATIONS, play_session
from pitwarden_simulators.session_kit.script import ScriptedDevice, ScriptError, read_script
from testkit.devices.faulty_sessions import FAULTY, FaultyDriver

CONFIG = Path(__file__).parents[2] / "config"
MAPS = ("bar-code-shoe", "counting-shuffler", "framed-shoe", "polled-shuffler")
TDP = ("shoe", "shuffler", "reader", "keypad")


def played(driver: Driver, make: DeviceMaker, seed: int = 1) -> dict[str, list[str]]:
    """Return the names of the obligations by outcome."""
    found: dict[str, list[str]] = {"kept": [], "BROKEN": [], "not played": []}
    for one in play_session(driver, make, seed):
        found[one.outcome].append(one.name)
    return found


def scripted(name: str) -> DeviceMaker:
    script = read_script(CONFIG / f"maps/devices/{name}.toml")
    return lambda: ScriptedDevice(script)


def mapped(name: str) -> Driver:
    return find_driver(f"map:{CONFIG}/maps/{name}.toml")


@pytest.mark.parametrize("family", TDP)
def test_tdp_keeps_every_obligation(family: str) -> None:
    found = played(find_driver("tdp"), SIMULATED[family])
    assert (found["BROKEN"], set(found["not played"]) - {"secrecy: texts"}) == ([], set())


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", MAPS)
def test_the_example_maps_keep_what_their_devices_allow(name: str, seed: int) -> None:
    found = played(mapped(name), scripted(name), seed)
    unkept = {"events: acknowledged", "line: duplication"}
    allowed = {
        "bar-code-shoe": unkept | {"device: silence"},
        "counting-shuffler": unkept | {"secrecy: texts"},
        "polled-shuffler": {"secrecy: texts"},
    }
    assert (found["BROKEN"], set(found["not played"])) == ([], allowed.get(name, set()))


def test_a_scanner_keeps_what_its_port_allows() -> None:
    found = played(find_driver(f"scan:{CONFIG}/codes/coded-shoe.toml"), SIMULATED["scanner"])
    assert found["BROKEN"] == []
    assert {"events: order", "line: loss", "host: restart", "secrecy: texts"} <= set(found["kept"])


def test_the_scripts_have_the_checks_of_a_library_that_the_driver_does_not_use() -> None:
    for name in MAPS:
        for text in re.findall(r'"([^"]+\*[0-9A-F]{2})\\r\\n"', (CONFIG / f"maps/devices/{name}.toml").read_text()):
            assert int(text[-2:], 16) == ChecksumXor8.calc(text[:-3].encode())
    for name, size in (("framed-shoe", 1), ("polled-shuffler", 4)):
        frames = re.findall(
            r"02 (?:[0-9A-F]{2} )+?03(?: [0-9A-F]{2})+", (CONFIG / f"maps/devices/{name}.toml").read_text()
        )
        assert len(frames) >= 10 - size
        for frame in frames:
            data = bytes.fromhex(frame)
            covered, check = data[1:-size], data[-size:]
            assert check == (bytes((ChecksumXor8.calc(covered),)) if size == 1 else b"%04X" % Crc16Arc.calc(covered))


def test_each_obligation_has_a_driver_that_breaks_it() -> None:
    assert list(FAULTY) == [one.name for one in OBLIGATIONS]


@pytest.mark.parametrize("name", FAULTY)
def test_a_driver_that_breaks_an_obligation_is_caught_there_first(name: str) -> None:
    device, wrap, expect = FAULTY[name]
    inner, make = (mapped(device), scripted(device)) if device in MAPS else (find_driver("tdp"), SIMULATED[device])
    assert played(FaultyDriver(inner, wrap, expect), make)["BROKEN"][:1] == [name]


def test_the_command_plays_a_map_and_a_script(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["session-kit", f"map:{CONFIG}/maps/framed-shoe.toml", "--device", f"{CONFIG}/maps/devices/framed-shoe.toml"]
    assert main([*argv, "--only", "line: splitting"]) == 0
    assert "session: 1 kept, 0 broken, 0 not played" in capsys.readouterr().out
    assert main([*argv, "--only", "line: spl1tting"]) == 78
    assert "no obligation contains it: identity: reported" in capsys.readouterr().err


def test_the_command_plays_a_driver_that_is_not_installed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "deafdriver.py").write_text(
        "from pitwarden_drivers.tdp import DRIVER\n"
        "from pitwarden_simulators.session_kit.device import SIMULATED\n"
        "make = SIMULATED['shoe']\n"
        "class Half:\n    serial = 'S'\n"
    )
    argv = ["session-kit", "deafdriver:DRIVER", "--path", str(tmp_path), "--only", "events", "--device"]
    assert main([*argv, "deafdriver:make"]) == 0
    assert "session: 2 kept, 0 broken, 0 not played" in capsys.readouterr().out
    assert main([*argv, "deafdriver:Half"]) == 78
    assert "the device lacks family, keeps" in capsys.readouterr().err
    assert main([*argv, "deafdriver:SIMULATED2"]) == 78
    assert "a maker of devices does not load" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["tpd", "--device", "simulated:shoe"], "did you mean 'tdp'"),
        (["tdp", "--device", "simulated:wheel"], "simulated are shoe, shuffler"),
        (["tdp", "--device", "shoe"], "write a device script"),
        (["tdp", "--device", "nowhere.toml"], "nowhere.toml: it cannot be read"),
        (["nowhere:DRIVER", "--device", "simulated:shoe"], "a driver does not load"),
        (["pathlib:Path", "--device", "simulated:shoe"], "is not a driver"),
        (["tdp", "--device", "pathlib:__name__"], "is not a class of a simulated device"),
    ],
)
def test_arguments_that_name_nothing_are_refused(
    argv: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["session-kit", *argv]) == 78
    assert words in capsys.readouterr().err


def test_a_driver_that_breaks_an_obligation_ends_the_command_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    """The tally of another family: a shuffler's map with a shoe's device is never identified."""
    argv = [
        "session-kit",
        f"map:{CONFIG}/maps/counting-shuffler.toml",
        "--device",
        f"{CONFIG}/maps/devices/framed-shoe.toml",
    ]
    assert main([*argv, "--only", "identity: reported"]) == 1
    assert "BROKEN      identity: reported        the device is not identified" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('serial = "S"\nfamily = "shoe"\n', "event: is missing"),
        ('serial = "S"\nfamily = "shoe"\nevent = []\n', "event: tuple should have at least 1 item"),
        ('serial = "S"\nfamily = "wheel"\nevent = ["A"]\n', "family: input should be"),
        (
            'serial = "S"\nfamily = "shoe"\nevents = ["A"]\n',
            "events: is not a key of a device script (did you mean event?)",
        ),
        (
            'serial = "S"\nfamily = "shoe"\nwritten = "hex"\nevent = ["0G"]\n',
            "'0G': is not written as pairs of hexadecimal digits",
        ),
        ('serial = "S"\nfamily = "shoe"\nevent = ["\u20ac"]\n', "is not written as characters of one byte"),
    ],
)
def test_a_script_that_is_wrong_is_named_with_its_key(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "device.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ScriptError) as refused:
        read_script(file)
    assert str(refused.value).startswith(f"{file}: ")
    assert words in str(refused.value)


def test_a_scripted_device_gives_signs_of_life_and_a_hello(tmp_path: Path) -> None:
    file = tmp_path / "device.toml"
    file.write_text(
        'serial = "S"\nfamily = "shoe"\nevent = ["A", "B"]\nhello = "HI"\n'
        '[beat]\nsend = "."\nevery_ms = 500\n[poll]\nask = "?"\n'
    )
    device = ScriptedDevice(read_script(file))
    assert device.tick(1_000) == b"HI."
    assert (device.wake_at(1_000), device.tick(1_100)) == (1_500, b"")
    device.happen()
    device.happen()
    assert device.receive(1_100, b"x?") == b"A"
    assert device.receive(1_100, b"?") == b"B"
    assert device.receive(1_100, b"?") == b""
    device.restart()
    assert device.tick(1_100) == b"HI"
