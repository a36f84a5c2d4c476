"""`pitwarden setup`: from a technician's answers to the files of a table, and once more without a change."""

import asyncio
import stat
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from pitwarden.cli.acts import act_lines, acts_of_table
from pitwarden.cli.main import main
from pitwarden.cli.table_file import external_checks
from pitwarden.config.loading import load_table_file
from pitwarden.config.problems import ConfigError
from pitwarden.installation.answers import TERMINAL_ROLES
from pitwarden_client.events.topics import Topics
from pitwarden_simulators.standalone.bench import PLACED, SERIALS, devices_only

EXAMPLES = Path(__file__).parents[2] / "config"
ANSWERS = """
[table]
site = "harbor"
table = "ta07"
game = "triple-attack-blackjack"
positions = 6
decks = { A = "red" }

[devices.shoe]
family = "shoe"
port = "/dev/serial/by-id/usb-Example_Dealing_Shoe_S-7-if00-port0"
serial = "S-7"
procedure = "IC-12"

[devices.shuffler]
family = "shuffler"
port = "/dev/serial/by-id/usb-Example_Shuffler_F-7-if00-port0"
serial = "F-7"
counts = true
procedure = "IC-13"

[pay.suited_royals]
table = "A"
posted = true

[pay.triple_match]
table = "A"
posted = true

[setup]
attested = { by = "J. Rivera", on = 2024-05-06, reference = "IC-30" }
"""
PIT = 'pit = ["127.0.0.1", "controller.example"]\n'


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    file = tmp_path / "answers.toml"
    file.write_text(ANSWERS)
    return file


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """Return the folder that stands for `/`."""
    return tmp_path / "image"


def setup(answers: Path, image: Path, *more: str, table: str = "ta07") -> int:
    return main(["setup", table, "--answers", str(answers), "--root", str(image), *more])


def everything(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(folder)): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def states(said: str) -> Iterator[str]:
    for line in said.partition("\n\n")[0].splitlines():
        yield line.split()[0]


def test_the_table_is_valid_and_attests_what_the_answers_state(
    answers: Path, image: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert setup(answers, image) == 0
    said = capsys.readouterr().out
    assert set(states(said)) == {"new"}
    assert "systemd-sysusers\n" in said
    assert "systemctl enable --now pitwarden-field@ta07 pitwarden-judge@ta07" in said
    file = image / "etc/pitwarden/ta07.toml"
    assert main(["check-config", "--quiet", str(file)]) == 0
    assert '[attestations.G-05]\nby = "J. Rivera"\non = 2024-05-06' in file.read_text()


def test_the_gaming_day_is_by_the_clock_of_new_jersey_unless_the_answers_name_another(
    answers: Path, image: Path
) -> None:
    assert main(["setup", "ta07", "--answers", str(answers), "--root", str(image)]) == 0
    assert 'zone = "America/New_York"' in (image / "etc/pitwarden/ta07.toml").read_text()
    answers.write_text(answers.read_text().replace('site = "harbor"', 'site = "harbor"\nzone = "Europe/Vienna"'))
    other = image / "other"
    assert main(["setup", "ta07", "--answers", str(answers), "--root", str(other)]) == 0
    text = (other / "etc/pitwarden/ta07.toml").read_text()
    assert 'zone = "Europe/Vienna"' in text
    assert text.count("zone") == 1


def test_a_second_run_changes_nothing(answers: Path, image: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers.write_text(ANSWERS + PIT)
    assert setup(answers, image) == 0
    before = everything(image)
    capsys.readouterr()
    assert setup(answers, image) == 0
    assert set(states(capsys.readouterr().out)) == {"unchanged"}
    assert everything(image) == before


@pytest.mark.parametrize("more", ["", '[inputs]\nkeyed = ["kp.boxes", "kp.deal"]\n'])
def test_a_terminal_s_profile_lists_the_acts_that_the_table_file_lists(
    more: str, answers: Path, image: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers.write_text(ANSWERS.replace("[setup]", f"{more}[setup]"))
    assert setup(answers, image) == 0
    table = acts_of_table(load_table_file(image / "etc/pitwarden/ta07.toml", external_checks(), {}))
    capsys.readouterr()
    for role in TERMINAL_ROLES:
        profile = image / f"etc/pitwarden/terminals/ta07-{role}/profile.toml"
        assert main(["say", "acts", "--profile", str(profile)]) == 0
        said = capsys.readouterr()
        assert said.out.splitlines() == act_lines(role, table)
        assert said.err == ""


def test_secrets_are_for_their_owner_alone(answers: Path, image: Path) -> None:
    answers.write_text(ANSWERS + PIT)
    assert setup(answers, image) == 0
    modes = {name: mode for name, (content, mode) in everything(image).items() if b"PRIVATE KEY" in content}
    assert modes["etc/pitwarden/authority/ca.key"] == 0o600
    assert modes.pop("etc/mosquitto/certs/controller.key") == 0o640, "the broker's group reads it"
    assert set(modes.values()) == {0o600}
    for name in ("etc/pitwarden/ta07.keys/field/broker.password", "etc/pitwarden/ta07.keys/judge/judge.key"):
        assert everything(image)[name][1] == 0o600
    for folder in ("ta07.keys", "ta07.keys/field", "ta07.keys/judge"):
        assert stat.S_IMODE((image / "etc/pitwarden" / folder).stat().st_mode) == 0o700


def test_each_half_has_an_account_a_login_and_its_own_secrets_alone(answers: Path, image: Path) -> None:
    assert setup(answers, image) == 0
    accounts = (image / "etc/sysusers.d/pitwarden-ta07.conf").read_text().splitlines()
    assert [line.split()[1:3] for line in accounts if line.startswith("u ")] == [
        ["pw-ta07-field", "-:pitwarden"], ["pw-ta07-judge", "-:pitwarden"],
    ]  # fmt: skip
    keys = image / "etc/pitwarden/ta07.keys"
    public = {"field.key.pub", "judge.key.pub", "judge.key.pub.sign"}
    assert {file.name for file in (keys / "field").iterdir()} == {*public, "field.key", "broker.password"}
    assert {file.name for file in (keys / "judge").iterdir()} == {*public, "judge.key", "broker.password"}
    logins = {line.partition(":")[0] for line in (image / "etc/mosquitto/pitwarden.passwd").read_text().splitlines()}
    assert {"ta07-field", "ta07-judge"} < logins
    assert "ta07" not in logins
    rights = (image / "etc/mosquitto/pitwarden.acl").read_text()
    assert "\nuser ta07-field\n" in rights
    assert "\nuser ta07\n" not in rights
    assert main(["run", "--config", str(image / "etc/pitwarden/ta07.toml")]) == 78


def test_both_halves_together_share_what_a_table_of_before_had(
    answers: Path, image: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers.write_text(ANSWERS + 'halves = "together"\n')
    assert setup(answers, image) == 0
    said = capsys.readouterr().out
    assert "systemctl enable --now pitwarden-table@ta07" in said
    assert "systemd-sysusers" not in said
    assert not (image / "etc/sysusers.d").exists()
    assert {file.name for file in (image / "etc/pitwarden/ta07.keys").iterdir()} == {
        "field.key", "field.key.pub", "judge.key", "judge.key.pub", "judge.key.pub.sign", "broker.password",
    }  # fmt: skip
    assert "\nuser ta07\n" in (image / "etc/mosquitto/pitwarden.acl").read_text()


def test_a_name_that_makes_no_account_is_refused(
    answers: Path, image: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long = "t" * 23
    answers.write_text(ANSWERS.replace("ta07", long))
    assert setup(answers, image, table=long) == 78
    assert "use at most 22 characters, or [setup] halves" in capsys.readouterr().err
    answers.write_text(ANSWERS.replace("ta07", long[1:]))
    assert setup(answers, image, table=long[1:]) == 0


def test_a_dry_run_writes_nothing_and_shows_no_secret(
    answers: Path, image: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers.write_text(ANSWERS + PIT)
    assert setup(answers, image, "--dry-run") == 0
    said = capsys.readouterr().out
    assert not image.exists()
    assert "== /etc/pitwarden/ta07.toml  0644  new" in said
    assert "topic write pitwarden/v1/harbor/ta07/events/+/+" in said
    assert "PRIVATE KEY" not in said
    assert "$7$" not in said, "the hashes of passwords are secrets too"


def test_a_file_that_a_person_edited_is_not_replaced(
    answers: Path, image: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert setup(answers, image) == 0
    file = image / "etc/pitwarden/ta07.toml"
    file.write_text(file.read_text() + "# edited\n")
    before = everything(image)
    assert setup(answers, image) == 1
    assert "ta07.toml: is there and differs from the answers" in capsys.readouterr().err
    assert everything(image) == before


def test_the_house_s_own_rights_and_logins_are_kept(answers: Path, image: Path) -> None:
    assert setup(answers, image) == 0
    acl, passwd = image / "etc/mosquitto/pitwarden.acl", image / "etc/mosquitto/pitwarden.passwd"
    acl.write_text(acl.read_text() + "user cctv\ntopic read pitwarden/v1/harbor/+/state\n")
    passwd.write_text(passwd.read_text() + "cctv:$7$101$c2FsdA==$aGFzaA==\n")
    other = answers.with_name("other.toml")
    other.write_text(ANSWERS.replace("ta07", "ta08").replace("S-7", "S-8").replace("F-7", "F-8"))
    assert setup(other, image, table="ta08") == 0
    assert "user cctv\n" in acl.read_text()
    assert "cctv:$7$101$c2FsdA==$aGFzaA==\n" in passwd.read_text()
    for table in ("ta07", "ta08"):
        assert all(f"user {table}-{role}\n" in acl.read_text() for role in TERMINAL_ROLES)
        assert all(f"\n{table}-{half}:$7$" in "\n" + passwd.read_text() for half in ("field", "judge"))


@pytest.mark.parametrize("name", ["ta07-floor", "historian"])
def test_a_table_that_is_named_like_a_login_is_refused(
    name: str, answers: Path, image: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The access list gives the login of a table's name the topics of that table."""
    assert setup(answers, image) == 0
    answers.write_text(ANSWERS.replace('"ta07"', f'"{name}"'))
    assert setup(answers, image, table=name) == 78
    assert f"'{name}' is also a login of the site's broker" in capsys.readouterr().err


def test_a_table_whose_terminal_is_named_like_a_table_is_refused(answers: Path, image: Path) -> None:
    answers.write_text(ANSWERS.replace('"ta07"', '"ta07-floor"'))
    assert setup(answers, image, table="ta07-floor") == 0
    answers.write_text(ANSWERS)
    assert setup(answers, image) == 78


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("J. Rivera", "A. Example", "attestations.G-05.by: is the example's placeholder"),
        ("attested =", "# attested =", "attestations.G-05: is missing"),
        ("positions = 6", "positions = 9", "table.positions"),
        ('site = "harbor"', 'site = "har bor"', "table.site: 'har bor' is no name"),
        ('game = "triple', 'game = "tripple', "is no game profile (did you mean triple-attack-blackjack?)"),
        ("[setup]", "[storage]\njournals = '/x'\n[setup]", "[storage] does not belong in answers"),
        ("[setup]", "[device.x]\na = 1\n[setup]", "[device] does not belong in answers (did you mean [devices]?)"),
        ('by = "J. Rivera"', 'by = ""', "setup.attested.by: string should have at least 1 character"),
        ("[setup]", "[broker]\nusername = 'x'\n[setup]", "broker.username is decided by the installation"),
        ("[setup]", "[setup]\nterminal = []", "setup.terminal: is no known key (did you mean terminals?)"),
        ('table = "ta07"', 'table = "ta09"', "is for table 'ta09', not 'ta07'"),
        ("[setup]", "[setup", "is not TOML"),
        (
            '[pay.suited_royals]\ntable = "A"\nposted = true', "[pay]\nsuited_royals = 3",
            "pay.suited_royals: must be a section",
        ),
    ],
)  # fmt: skip
def test_answers_that_are_no_table_are_refused_and_write_nothing(
    old: str, new: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers, image = tmp_path / "answers.toml", tmp_path / "image"
    answers.write_text(ANSWERS.replace(old, new, 1))
    assert setup(answers, image) == 78
    assert reason in capsys.readouterr().err
    assert not image.exists()


def test_a_house_with_its_own_authority_gets_signing_requests(
    answers: Path, image: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers.write_text(ANSWERS + PIT + 'authority = "house"\n')
    assert setup(answers, image) == 0
    files = everything(image)
    assert b"BEGIN CERTIFICATE REQUEST" in files["etc/pitwarden/terminals/ta07-floor/ta07-floor.csr"][0]
    assert "etc/pitwarden/authority/ca.key" not in files
    assert "etc/mosquitto/conf.d/pitwarden-pit.conf" not in files, "mosquitto would not start without a certificate"
    assert "signed by the house's authority" in capsys.readouterr().out
    (image / "etc/mosquitto/certs/controller.crt").write_text("signed")
    assert setup(answers, image) == 0
    assert "etc/mosquitto/conf.d/pitwarden-pit.conf" in everything(image)


def test_half_an_authority_is_not_guessed(answers: Path, image: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers.write_text(ANSWERS + PIT)
    assert setup(answers, image) == 0
    (image / "etc/pitwarden/authority/ca.key").unlink()
    assert setup(answers, image) == 1
    assert "has only one of ca.crt and ca.key" in capsys.readouterr().err


def test_a_broker_elsewhere_is_left_to_its_own_people(
    answers: Path, image: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers.write_text(ANSWERS.replace("[setup]", '[broker]\nhost = "10.1.2.3"\nca = "site-ca.crt"\n[setup]'))
    assert setup(answers, image) == 0
    assert not (image / "etc/mosquitto").exists()
    assert "give the broker the login ta07" in capsys.readouterr().out


@pytest.fixture
async def simulated_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Path]:
    """Yield the folder of the simulated devices, of which those of ta07 run."""
    monkeypatch.setattr("pitwarden.cli.setup.SIMULATED", f"{tmp_path}/simulators/")
    folder = tmp_path / "simulators" / "ta07"
    folder.mkdir(parents=True)
    async with devices_only(folder):
        yield folder


async def test_with_simulated_devices_the_table_is_marked_and_waits_for_their_unit(
    image: Path, simulated_devices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies = iter(["harbor", "7", "6", "y", "IC-14, IC-12, IC-13", "n", "y", "J. Rivera", "2024-05-06", ""])
    monkeypatch.setattr("builtins.input", lambda _: next(replies))
    command = ["setup", "ta07", "--simulated", "--root", str(image), "--examples", str(EXAMPLES)]
    assert await asyncio.to_thread(main, command) == 0
    file = image / "etc/pitwarden/ta07.toml"
    table = load_table_file(file, external_checks(), {})
    assert table.table.simulated
    assert {name: (device.serial, device.port) for name, device in table.devices.items()} == {
        name: (SERIALS[name], str(simulated_devices / name)) for name in PLACED
    }
    drop_in = image / "etc/systemd/system/pitwarden-field@ta07.service.d/simulated.conf"
    assert "After=pitwarden-simulators@%i.service" in drop_in.read_text()
    file.write_text(file.read_text().replace("simulated = true", "simulated = false"))
    with pytest.raises(ConfigError) as refused:
        load_table_file(file, external_checks(), {})
    assert {problem.key for problem in refused.value.problems} >= {f"devices.{name}.serial" for name in PLACED}


def test_simulated_devices_that_do_not_run_are_named_with_the_command_that_starts_them(
    answers: Path, image: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["setup", "ta07", "--simulated", "--root", str(image), "--examples", str(EXAMPLES)]
    assert main(command) == 78
    assert "systemctl enable --now pitwarden-simulators@ta07" in capsys.readouterr().err
    assert setup(answers, image, "--simulated") == 78
    assert "add `simulated = true` to [table]" in capsys.readouterr().err
    answers.write_text(ANSWERS.replace('game = "triple', 'simulated = true\ngame = "triple'))
    assert setup(answers, image, "--simulated") == 0
    assert "systemctl daemon-reload" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["pitwarden.acl", "pitwarden.conf", "pitwarden-pit.conf"])
def test_what_setup_installs_is_what_is_shipped_as_example(name: str) -> None:
    data = Path(__file__).parents[2] / "daemon/pitwarden/installation/data"
    assert (data / name).read_bytes() == (EXAMPLES / "mosquitto" / name).read_bytes()


def test_topics_of_the_access_list_are_those_of_the_site(answers: Path, image: Path) -> None:
    assert setup(answers, image) == 0
    acl = (image / "etc/mosquitto/pitwarden.acl").read_text()
    assert f"topic write {Topics('harbor', 'ta07').input('floor', 'ta07-floor')}" in acl
    assert "ta01" not in acl
