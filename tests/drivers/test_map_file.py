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
        ('"READY*4B" = "heartbeat"', '"READY*4B" = 1', r"tests.READY\*4B: must be text in quotes, not 1"),
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
        (FRAMED, "[ack]", "[akc]", r"akc: is no known key \(did you mean ack"),
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
        (SHUFFLER, 'end = "\\r\\n"', 'end = "\\t"', r"end: a line must end with .* not '\\t'"),
        (SHUFFLER, 'name = "counting-shuffler"', 'name = "Shuffler"', "name: must be lower-case letters, digits"),
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


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    [
        (SHUFFLER, 'end = "\\r\\n"', 'end = "ETX"', r"end: a line must end with .*, not 'ETX'. A device that ends its"),
        (SHUFFLER, "silent_after_ms = 4000", 'silent_after_ms = "4 s"', "must be a whole number of milliseconds"),
        (SHUFFLER, "[checksum]", "[poll]\nask = '05'\nevery_ms = 4.5\n[checksum]", "must be a whole number of milli"),
        (SHUFFLER, 'words = { fault = { E1 = "jam"', 'scale = { deck = "2" }\nwords = { fault = { E1 = "jam"',
         "event.3.scale.deck: must be a whole number without quotes, not '2'"),
        (SHUFFLER, 'start = ["ECHO OFF"]', 'start = "ECHO OFF"', r'start: must be a list in brackets.* \["ECHO OFF"\]'),
        (SHUFFLER, 'start = ["ECHO OFF"]', "start = [1]", "start.0: must be text in quotes, not 1"),
        (SHUFFLER, "[identify]", "[[identify]]", "identify: must be one section, .* not a list of sections"),
        (FRAMED, 'check = { kind = "xor8", covers = "body stop", written = "byte" }', 'check = "xor8"',
         "framing.check: must be one section, or names with values in braces, not 'xor8'"),
        (SHUFFLER, 'E1 = "jam"', 'E1 = "jammed"', r"event.3 \(shuffler.fault\): fault must be jam, .* not 'jammed'"),
        (SHUFFLER, 'mode = "sort"', 'mode = "sortt"', r"mode must be shuffle, sort, not 'sortt' \(did you mean sort"),
        (FRAMED, 'U = "up"', 'U = "upp"', r"up must be up, down, not 'upp'"),
        (SHUFFLER, "[command.lock]", "[command.locc]", r"command.locc: is no command \(did you mean lock\?\); "),
        (SHUFFLER, 'ask = "LOCK"', 'ask = "LOCK\\u00e9"', "command.lock.ask: must be printable ASCII, not"),
        (FRAMED, 'start = "02"', 'start = "STX"', "hexadecimal, .* not 'STX'. STX is '02'"),
        (FRAMED, 'start = "02"', 'start = "<dle> <stx>"', "<dle> <stx> is '10 02'"),
        (FRAMED, 'stop = "03"', 'stop = "ETC"', "hexadecimal, for example '02' or '10 02', not 'ETC'$"),
        (FRAMED, 'stop = "03"', 'stop = ""', "hexadecimal, for example '02' or '10 02', not ''$"),
        (FRAMED, 'stop = "03"', 'stop = "3"', "hexadecimal, for example '02' or '10 02', not '3'$"),
        (POLLED, 'ask = "04 30 37 05"', 'ask = "EOT 0 7 ENQ"', "EOT 0 7 ENQ is '04 30 37 05'"),
        (FRAMED, 'stop = "03"', "", "framing.stop: is missing: the bytes that end a frame, for example '03' for ETX"),
        (FRAMED, "modulus = 10", "modulus = 10\nretries = true", "retries: must be a whole number without quotes"),
        (FRAMED, "acknowledge_replies = false", 'acknowledge_replies = "no"', "must be true or false without quotes"),
        (SHUFFLER, "'READY|BUSY'", "''", "heartbeat.pattern: is empty: what the message looks like"),
        (SHUFFLER, "'READY|BUSY'", f"'{'x' * 501}'", "heartbeat.pattern: string should have at most 500"),
        (SHUFFLER, 'kind = "xor8"', "", "checksum.kind: is missing: what is computed"),
        (SHUFFLER, 'family = "shuffler"', "", "family: is missing$"),
    ],
)  # fmt: skip
def test_a_wrong_shape_is_explained_in_the_words_of_the_manual(
    tmp_path: Path, file: Path, old: str, new: str, reason: str
) -> None:
    """The reader is an integrator with the device's manual, not one who knows the validator."""
    with pytest.raises(UnknownDriverError, match=reason) as refused:
        find_driver(f"map:{edited(tmp_path, old, new, file)}")
    assert "Input should" not in str(refused.value)


def test_events_in_single_brackets_are_explained(tmp_path: Path) -> None:
    text = SCANNER.read_text()
    head, _, tests = text.partition("[[event]]")
    tests = tests[tests.index("[tests]") :]
    (tmp_path / "map.toml").write_text(f"{head}[event]\nkind = 'shoe.cut'\npattern = 'CUTCARD'\n{tests}")
    with pytest.raises(UnknownDriverError, match=r"event: must be written as \[\[event\]\], in two pairs of brackets"):
        find_driver(f"map:{tmp_path / 'map.toml'}")


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
