"""The table file: whatever is wrong is named with file, line, key, reason and the nearest spelling."""

from pathlib import Path

import pytest

from pitwarden.config.loading import ExternalChecks, load_table_file
from pitwarden.config.problems import ConfigError
from pitwarden.service.reload import broker_settings

GOOD = """\
[table]
site = "harbor"
table = "ta01"
game = "triple-attack-blackjack"
positions = 6
decks = { A = "red" }

[storage]
journals = "journals"
keys = "/etc/keys"

[broker]
ca = "ca.pem"

[devices.shoe]
family = "shoe"
port = "/dev/serial/by-id/shoe"
serial = "N1"

[inputs]
keyed = ["kp.boxes"]
"""


SECOND = """\
serial = "N1"
[devices.shoe2]
family="shoe"
port="/dev/x"
serial = "N1"
"""


OTHER_LINK = """\
serial = "N1"
[devices.shoe2]
family="shoe"
port="/dev/serial/by-id/shoe"
serial = "N2"
"""


def no_port(path: str, _simulated: bool) -> None:  # noqa: FBT001  the signature of a refusal
    if "ttyUSB" in path:
        raise ValueError(f"{path} is no stable path")


def no_driver(name: str) -> None:
    if name != "tdp":
        raise ValueError(f"{name} is no driver")


REFUSALS = ExternalChecks(port=no_port, driver=no_driver)


def refused(folder: Path, text: str, environment: dict[str, str] | None = None) -> list[str]:
    file = folder / "table.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as error:
        load_table_file(file, REFUSALS, environment or {})
    return [f"{p.line} {p.key}: {p.reason}" for p in error.value.problems]


GUARDED = '[metrics]\nhost = "10.0.0.1"\nport = 9464\ncert = "c"\nkey = "k"\nclient_ca = "ca"\n'


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("[metrics]\n", ["23 metrics.socket: is missing: name a local socket"]),
        ('[metrics]\nsocket = "s"\nport = 9464\n', ["25 metrics.port: does not go with socket"]),
        (f'[metrics]\nsocket = "{"s" * 108}"\n', ["24 metrics.socket: is a longer path than a socket may have (107"]),
        (
            GUARDED.replace('client_ca = "ca"\n', ""),
            ["23 metrics.client_ca: is missing; a port is opened only"],
        ),
    ],
)
def test_metrics_need_permission(section: str, said: list[str], tmp_path: Path) -> None:
    found = refused(tmp_path, f"{GOOD}\n{section}")
    assert len(found) == len(said)
    assert all(one.startswith(words) for one, words in zip(found, said, strict=True)), found


def test_the_files_of_metrics_start_at_the_table_files_folder(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(f"{GOOD}\n{GUARDED}")
    metrics = load_table_file(file, REFUSALS, {}).metrics
    assert metrics is not None
    assert (metrics.cert, metrics.client_ca, metrics.socket) == (tmp_path / "c", tmp_path / "ca", None)


def test_addresses_are_a_list_or_one_host_and_port_with_or_without_brackets(tmp_path: Path) -> None:
    def addresses(section: str) -> list[str]:
        (tmp_path / "table.toml").write_text(GOOD.replace('ca = "ca.pem"', section))
        return [str(one) for one in broker_settings(load_table_file(tmp_path / "table.toml", REFUSALS, {})).addresses]

    assert addresses("") == ["127.0.0.1:1883"]
    assert addresses('host = "[::1]"\nport = 9') == ["[::1]:9"]
    assert addresses('addresses = ["a", "[::1]", "b:9"]') == ["a:1883", "[::1]:1883", "b:9"]
    assert addresses('addresses = ["a", "b:9"]\nca = "ca.pem"') == ["a:8883", "b:9"]


def test_a_good_file_loads_with_absolute_paths(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(GOOD)
    table = load_table_file(file, REFUSALS, {})
    assert table.storage.journals == tmp_path / "journals"
    assert table.storage.keys == Path("/etc/keys")
    assert table.broker.ca == tmp_path / "ca.pem"
    assert table.devices["shoe"].baud == 115_200


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('serial = "N1"', 'serial = "N1"\nbaudd = 9600', "19 devices.shoe.baudd: is no known key (did you mean baud?)"),
        ("[devices.shoe]", "[devices.sheo]", "15 devices.sheo: names a shoe; such a name begins with shoe"),
        ("positions = 6", "positions = 60", "5 table.positions: input should be less than or equal to 7"),
        ("positions = 6", 'positions = "6"', "5 table.positions: input should be a valid integer"),
        ('site = "harbor"', 'site = "har#bor"', "2 table.site: string should match pattern"),
        ('port = "/dev/serial/by-id/shoe"', 'port = "/dev/ttyUSB0"', "17 devices.shoe.port: /dev/ttyUSB0 is no stable"),
        ('family = "shoe"', 'family = "shoe"\ndriver = "tpd"', "17 devices.shoe.driver: tpd is no driver"),
        ('"kp.boxes"', '"kp.boxs"', "21 inputs.keyed: kp.boxs is no known input (did you mean kp.boxes?)"),
        ('serial = "N1"', SECOND, "22 devices.shoe2.serial: is the serial number of device shoe too"),
        ('table = "ta01"\n', "", "1 table.table: is missing"),
        ('serial = "N1"', OTHER_LINK, "21 devices.shoe2.port: is the port of device shoe too; two devices cannot"),
        ("[inputs]", "[inputs]\n[inputs]", "21 file: is not TOML"),
        ("positions = 6", "positions = " + "9" * 5_000, "5 file: the line is longer than 4096 characters"),
        ("positions = 6", "positions = " + "[\n" * 5_000, "1 file: is not TOML: a number is too long, or brackets"),
        ('ca = "ca.pem"', 'host = "broker:1883"', "13 broker.host: is no IPv6 address: 'broker:1883'. Write HOST"),
        ('ca = "ca.pem"', 'host = "a/b"', "13 broker.host: has '/' in the host"),
        ('ca = "ca.pem"', 'addresses = ["a:0"]', "13 broker.addresses: a:0: has the port 0: write a number"),
        ('ca = "ca.pem"', 'addresses = ["a"]\nport = 1', "14 broker.port: does not go with addresses"),
        ('ca = "ca.pem"', 'addresses = ["a", "a:1883"]', "13 broker.addresses: a:1883 is the same address as a"),
        ('ca = "ca.pem"', "addresses = []", "13 broker.addresses: is empty"),
        ('ca = "ca.pem"', "subscribe_qos = 2", "13 broker.subscribe_qos: input should be 0 or 1"),
        ("[inputs]", "[inputs]  # \u202e", "20 file: holds the hidden character U+202E. Remove it"),
        ("positions = 6", "positions = 6\u2028", "5 file: holds the hidden character U+2028"),
        ('serial = "N1"', 'serial = "SIM-N1"', "18 devices.shoe.serial: is the number of a simulated device: write"),
        ("[storage]", "[storag]", "8 storag: is no known key (did you mean storage?)"),
    ],
)  # fmt: skip
def test_each_fault_is_named_where_it_stands(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD
    problems = refused(tmp_path, GOOD.replace(old, new))
    assert any(problem.startswith(said) for problem in problems), problems


def test_two_links_to_one_port_are_one_port(tmp_path: Path) -> None:
    (tmp_path / "tty").touch()
    for link in ("by-id", "by-path"):
        (tmp_path / link).symlink_to(tmp_path / "tty")
    second = OTHER_LINK.replace("/dev/serial/by-id/shoe", str(tmp_path / "by-path"))
    text = GOOD.replace("/dev/serial/by-id/shoe", str(tmp_path / "by-id")).replace('serial = "N1"\n', second)
    [said] = refused(tmp_path, text)
    assert said.endswith(
        f"devices.shoe2.port: is the port of device shoe too (both lead to {tmp_path / 'tty'}); "
        "two devices cannot share one"
    )


def test_settings_in_the_environment_are_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, GOOD, {"PITWARDEN_BAUD": "9600", "HOME": "/"}) == [
        "1 PITWARDEN_BAUD: no setting is read from the environment: put it in the table file"
    ]


def test_a_file_that_is_not_there_or_not_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml:1  file: cannot be read: No such file"):
        load_table_file(tmp_path / "nowhere.toml", REFUSALS, {})
    (tmp_path / "mark.toml").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    with pytest.raises(ConfigError, match=r"mark\.toml:1  file: holds the hidden character U\+FEFF"):
        load_table_file(tmp_path / "mark.toml", REFUSALS, {})
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_table_file(tmp_path / "b.toml", REFUSALS, {})
