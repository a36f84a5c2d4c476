"""A map file: what it must be, and how a wrong one is refused."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwarden_drivers.api import ExpectedDevice
from pitwarden_drivers.mapping.driver import load_map, map_driver
from pitwarden_drivers.mapping.map_file import MapFileError
from pitwarden_drivers.registry import UnknownDriverError, find_driver
from pitwarden_drivers.user_files import MAX_FILE
from testkit.clocks.waiting import PATIENCE_S
from testkit.devices.map_sessions import MAPS, SCANNER, SHUFFLER, edited


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
        (
            'kind = "xor8"', "kind = 'xor8'\npattern = '(?P<body>.*)-(?P<som>..)'",
            r"checksum.pattern: the group \(\?P<sum>",
        ),
        ('kind = "shuffler.done"', 'kind = "shoe.empty"', "is no event of a shuffler"),
        ("words = { fault", "words = { folt", "'folt' is translated or scaled, but is no group"),
        ('[[event]]\nkind = "shuffler.started"', "[[event]]\nkind = 7", "event"),
        ('name = "counting-shuffler"', "name = [", "no TOML"),
        ("silent_after_ms = ", "silent_after_ms = " + "9" * 5_000, "no TOML .*a number is too long"),
        ('name = "counting-shuffler"', "name = " + "[" * 5_000, "no TOML .*brackets stand too deep"),
        ('"READY*4B" = "heartbeat"', '"READY*4B" = "unknown"', r"tests.'READY\*4B': .*gives heartbeat, not unknown"),
        ("[tests]", "[testz]", r"testz: is no known key"),
        ('"READY*4B" = "heartbeat"', '"READY*4B" = 1', r"tests.READY\*4B: must be text, not 1"),
    ],
)  # fmt: skip
def test_a_wrong_map_is_refused_with_its_place_and_the_nearest_word(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    with pytest.raises(UnknownDriverError, match=reason):
        find_driver(f"map:{edited(tmp_path, old, new)}")


FRAMED, POLLED = MAPS / "framed-shoe.toml", MAPS / "polled-shuffler.toml"


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    [
        (FRAMED, 'start = "02"', 'start = "2"', r"framing.start: must be bytes in hexadecimal, for example '02'"),
        (FRAMED, 'start = "02"', "", r"framing.start: is missing"),
        (FRAMED, "[framing]", "[freming]", r"freming: is no known key \(did you mean framing"),
        (FRAMED, 'stop = "03"', 'stop = "03"\nbody = "hex"', r"framing.body: .* set framing.escape"),
        (FRAMED, 'stop = "03"', 'stop = "03"\nescape = "10 11"', "framing.escape: must be one byte, not 2"),
        (FRAMED, 'stop = "03"', 'stop = "10 03"\nescape = "10"', "framing.start: must be the escape byte and one more"),
        (FRAMED, "modulus = 10", "", "ack.modulus: is missing"),
        (FRAMED, "modulus = 10", "modulus = 1", "ack.modulus: must be at least 2, not 1"),
        (FRAMED, "modulus = 10", "modulus = 70000", "ack.modulus: must be at most 65536, not 70000"),
        (FRAMED, "number = '(?P<number>\\d)(?P<body>.+)'", "", "ack.number: is missing"),
        (FRAMED, "(?P<number>\\d)", "\\d", r"ack.number.pattern: the group \(\?P<number>"),
        (
            FRAMED, "number = '(?P<number>\\d)(?P<body>.+)'\nmodulus = 10", "",
            "ack.repeats_within_ms: is missing: how long after a lost acknowledgement",
        ),
        (FRAMED, 'good = "06"', 'good = "02 06"', "ack.good: begins like framing.start"),
        (POLLED, 'nothing = "04"', 'nothing = "15"', "poll.nothing: begins like ack.bad"),
        (FRAMED, 'good = "06"', 'good = "06"\nenquiry = "06 05"', "ack.enquiry: begins like ack.good"),
        (POLLED, "[ack]\nanswer_ms = 250", "", "poll: needs the section .ack."),
        (FRAMED, 'frame = "02 30 4D 03 7E"', 'frame = "02 30 4D 03"', "gives unfinished, not shoe.cut"),
        (FRAMED, 'frame = "02 30 4D 03 7E"', 'frame = "4D"', "gives noise, not shoe.cut"),
        (FRAMED, 'frame = "02 30 4D 03 7E"', 'frame = "06"', "gives good, not shoe.cut"),
        (FRAMED, 'frame = "02 30 4D 03 7E"', 'frame = "0"', "gives no hexadecimal digits, not shoe.cut"),
        (FRAMED, 'frame = "02 30 4D 03 7E"', 'frame = "06"\nline = "0M"', "test.0: needs either `line`"),
        (SHUFFLER, "[checksum]", "[ack]\nmodulus = 2\n[checksum]", "ack: needs the section .framing."),
        (SHUFFLER, "[tests]", "[[test]]\nframe='02'\ngives='x'\n[tests]", "test.0.frame: needs the section .framing."),
        (SHUFFLER, "pattern = 'LOCKED'", "", "command.lock.pattern: is missing"),
        (SHUFFLER, 'kind = "xor8"', 'kind = "xor8"\nwrite = "{body}*"', r"checksum.write: \{sum\} is missing"),
        (SHUFFLER, 'end = "\\r\\n"', 'end = "\\t"', r"end: must be .* not '\\t'"),
        (SHUFFLER, 'name = "counting-shuffler"', 'name = "Shuffler"', r"name: must match .*not 'Shuffler'"),
        (
            FRAMED, "[framing]", "[checksum]\nkind = 'xor8'\npattern = '(?P<body>.*)(?P<sum>..)'\n[framing]",
            "checksum: is for lines",
        ),
    ],
)  # fmt: skip
def test_a_wrong_link_is_refused_in_the_words_of_the_map(
    tmp_path: Path, file: Path, old: str, new: str, reason: str
) -> None:
    with pytest.raises(UnknownDriverError, match=reason):
        find_driver(f"map:{edited(tmp_path, old, new, file)}")


def test_a_map_without_a_test_is_refused_with_an_example(tmp_path: Path) -> None:
    text = SHUFFLER.read_text()
    (tmp_path / "map.toml").write_text(text[: text.index("[tests]")])
    with pytest.raises(UnknownDriverError, match=r'tests: is missing: .* "DONE A" = "shuffler.done"'):
        find_driver(f"map:{tmp_path / 'map.toml'}")


@pytest.mark.parametrize("file", sorted(MAPS.glob("*.toml")), ids=lambda file: file.stem)
def test_an_example_has_less_than_sixty_lines_and_none_is_crowded(file: Path) -> None:
    lines = file.read_text().splitlines()
    assert len(lines) < 60
    assert max(map(len, lines)) <= 120


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
