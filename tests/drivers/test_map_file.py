"""A map file: what it must be, and how a wrong one is refused."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwarden_drivers.api import ExpectedDevice
from pitwarden_drivers.mapping.driver import map_driver
from pitwarden_drivers.mapping.map_file import MapFileError, load_map
from pitwarden_drivers.registry import UnknownDriverError, find_driver
from pitwarden_drivers.user_files import MAX_FILE
from testkit.clocks.waiting import PATIENCE_S
from testkit.devices.map_sessions import MAPS, SCANNER, edited


@pytest.mark.parametrize("file", sorted(MAPS.glob("*.toml")), ids=lambda file: file.stem)
def test_an_example_does_what_its_test_block_says(file: Path) -> None:
    assert map_driver(f"map:{file}").name == f"map:{file}"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("silent_after_ms", "silent_afer_ms", r"silent_afer_ms: is no known key \(did you mean silent_after_ms"),
        ('kind = "xor8"', 'kind = "xor9"', r"checksum.kind.*did you mean xor8"),
        ("(?P<deck>[AB])'", "(?P<dec>[AB])'", r"no field 'dec' \(did you mean deck"),
        ("SHUFFLE (?P<deck>[AB])", "SHUFFLE [AB]", r"field 'deck' comes from nowhere"),
        ("READY|BUSY", "READY(?=x)", "RE2"),
        ("SHUFFLE (?P", "SHUFFLE )(?P", r"event.0.pattern: .*RE2"),
        ("(?P<serial>", "(?P<sn>", r"identify.pattern: the group \(\?P<serial>"),
        ("(?P<sum>", "(?P<som>", r"checksum.pattern: the group \(\?P<sum>"),
        ('kind = "shuffler.done"', 'kind = "shoe.empty"', "is no event of a shuffler"),
        ("words = { fault", "words = { folt", "'folt' is translated or scaled, but is no group"),
        ('[[event]]\nkind = "shuffler.started"', "[[event]]\nkind = 7", "event"),
        ('name = "counting-shuffler"', "name = [", "no TOML"),
        ("silent_after_ms = ", "silent_after_ms = " + "9" * 5_000, "no TOML .*a number is too long"),
        ('name = "counting-shuffler"', "name = " + "[" * 5_000, "no TOML .*brackets stand too deep"),
        ('gives = "heartbeat"', 'gives = "unknown"', r"test.1: .*gives heartbeat, not unknown"),
    ],
)  # fmt: skip
def test_a_wrong_map_is_refused_with_its_place_and_the_nearest_word(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    with pytest.raises(UnknownDriverError, match=reason):
        find_driver(f"map:{edited(tmp_path, old, new)}")


def test_a_map_that_is_not_there_is_relative_or_endless_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MapFileError, match="cannot be read"):
        load_map(tmp_path / "none.toml")
    with pytest.raises(MapFileError, match="absolute path"):
        map_driver("map:maps/x.toml")
    (tmp_path / "long.toml").write_bytes(b"#" * (MAX_FILE + 1))
    with pytest.raises(MapFileError, match="longer than"):
        load_map(tmp_path / "long.toml")


@settings(max_examples=60)
@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60), st.binary(max_size=300))
def test_no_pattern_and_no_bytes_hang_or_break_a_map(
    tmp_path_factory: pytest.TempPathFactory, pattern: str, data: bytes
) -> None:
    tree = tomllib.loads(SCANNER.read_text())
    assert tree["event"][2]["pattern"] == "CUTCARD"
    file = tmp_path_factory.mktemp("map") / "map.toml"
    file.write_text(
        SCANNER.read_text().replace("'CUTCARD'", '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"')
    )
    try:
        session = map_driver(f"map:{file}").session(ExpectedDevice("shoe", "S-2001"))
    except MapFileError:
        return
    session.begin(0)
    session.receive(1, b"SCANNER S-2001 REV B2\r")
    for report in session.receive(2, data + b"\r").reports:
        assert report.boot == 1


def test_a_pattern_that_would_hang_another_engine_is_matched_in_no_time() -> None:
    """Exponential for a backtracking engine; here it is over before the test's own time limit."""
    words = [sys.executable, "-c", "import re2; print(re2.fullmatch('(a*)*b', 'a' * 1000))"]
    said = subprocess.run(words, capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout
    assert said.strip() == "None"
