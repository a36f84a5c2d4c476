"""Dialogues with the devices of the example maps, and maps with a word changed."""

from pathlib import Path

from pitwarden_drivers.api import ExpectedDevice
from pitwarden_drivers.mapping.checksums import checksum
from pitwarden_drivers.mapping.session import MapSession
from pitwarden_drivers.registry import find_driver

MAPS = Path(__file__).parents[4] / "config/maps"
SHUFFLER, SCANNER = MAPS / "counting-shuffler.toml", MAPS / "bar-code-shoe.toml"


def summed(line: str) -> bytes:
    return f"{line}*{checksum('xor8', line.encode()):02X}\r\n".encode()


def identified_session(file: Path, serial: str, *, identity: bytes, firmware: tuple[str, ...] = ()) -> MapSession:
    """Return a session whose device has answered the identity query."""
    session = find_driver(f"map:{file}").session(ExpectedDevice("shuffler", serial, firmware, last_boot=6))
    assert isinstance(session, MapSession)
    session.begin(1_000)
    session.receive(1_100, identity)
    assert session.identified
    return session


def shuffler() -> MapSession:
    return identified_session(SHUFFLER, "F-0007", identity=summed("ID F-0007 FW 2.1"))


def edited(tmp_path: Path, old: str, new: str, original: Path = SHUFFLER) -> Path:
    text = original.read_text()
    assert old in text
    file = tmp_path / "map.toml"
    file.write_text(text.replace(old, new, 1))
    return file
