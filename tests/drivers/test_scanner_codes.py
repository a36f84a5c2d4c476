"""A codes file: which bar codes are which cards, and how a wrong file is refused."""

from pathlib import Path

import pytest

from pitwarden_client.events.card_faces import parse_face
from pitwarden_client.events.device import DeviceSuspect
from pitwarden_drivers.api import ExpectedDevice, PlainCard, Secret
from pitwarden_drivers.registry import UnknownDriverError, find_driver
from pitwarden_simulators.devices.scanner import reports_of
from testkit.devices.scanner_sessions import EXAMPLE, HELLO, said_of

GOOD = EXAMPLE.read_text()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("card = '", "kard = '", "kard: is no known key .did you mean card"),
        ("(?P<card>", "(?P<face>", "the group"),
        ("(?P<card>", "(?=(?P<card>", "card: .*patterns are RE2's"),
        ("cut = 'CUTCARD'", "cut = 'CUT'\n[cards]\nX = '11D'", "cards.X: '11D' is no card"),
        ('gives = "shoe.cut"', 'gives = "unread"', "test.2: 'CUTCARD' gives shoe.cut, not unread"),
        ('["]C0"]', '["C0"]', "symbologies.0"),
        ("[[test]]", "[[test", "no TOML"),
        ("card = '", "least_accuracy = " + "9" * 5_000 + "\ncard = '", "no TOML .*a number is too long"),
    ],
)
def test_a_codes_file_is_refused_where_it_is_wrong(tmp_path: Path, old: str, new: str, words: str) -> None:
    file = tmp_path / "codes.toml"
    keys, tests = GOOD.split("\n[[test]]", 1)
    swapped = (keys + "\n[[test]]" + tests).replace(old, new, 1)
    if new.startswith("cut = 'CUT'\n"):
        swapped = GOOD.replace(old, "").split("\n[[test]]")[0] + "\n" + new + "\n" + "[[test]]" + tests
    file.write_text(swapped)
    with pytest.raises(UnknownDriverError, match=words):
        find_driver(f"scan:{file}")


def test_a_codes_file_that_cannot_be_read_or_has_no_absolute_path_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnknownDriverError, match="cannot be read"):
        find_driver(f"scan:{tmp_path}/none.toml")
    with pytest.raises(UnknownDriverError, match="absolute path"):
        find_driver("scan:codes/x.toml")
    (tmp_path / "long.toml").write_bytes(b"#" * 70_000)
    with pytest.raises(UnknownDriverError, match="longer than"):
        find_driver(f"scan:{tmp_path}/long.toml")


def test_opaque_codes_are_translated(tmp_path: Path) -> None:
    file = tmp_path / "codes.toml"
    file.write_text(
        "name = 'x'\ncard = '(?P<card>\\d{4})'\n[cards]\n0417 = 'AS'\n[[test]]\ncode = '0417'\ngives = 'shoe.card'\n"
        "[[test]]\ncode = '0418'\ngives = 'unknown'\n"
    )
    session = find_driver(f"scan:{file}").session(ExpectedDevice("shoe", "S-9"))
    session.begin(0)
    session.receive(0, HELLO)
    assert said_of(session, *reports_of(b"0417")) == [PlainCard(Secret(parse_face("AS")))]
    assert isinstance(said_of(session, *reports_of(b"0418"))[0], DeviceSuspect)
