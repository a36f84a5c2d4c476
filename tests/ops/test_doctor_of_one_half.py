"""`pitwarden doctor --only field|judge`: what that half needs, with a login that has no further rights."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.cli.table_file import read_table_file
from pitwarden.doctor.examination import examine
from pitwarden.doctor.findings import DoctorFinding
from pitwarden.seal.keys import key_paths
from pitwarden.system.clock import SystemClock
from pitwarden_client.events.codec import encode
from pitwarden_client.events.status import PartStatus
from pitwarden_client.events.topics import HALVES, Half, Topics
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_drivers import registry
from testkit.brokers.clients import connection
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.brokers.site_broker import acl_of_one_process, acl_of_separate_halves, password_line
from testkit.tables.table_file import small_table

pytestmark = pytest.mark.broker
TABLE = Topics("harbor", "ta01")
LOGINS = ("ta01", "ta01-field", "ta01-judge", "people")
RUNS = encode(PartStatus(online=True, run="r", version="1"))


@dataclass(frozen=True)
class Place:
    """A broker, and the folder of a table with its keys."""

    folder: Path
    broker: MosquittoBroker

    def file(self, login: str, more: str = "") -> Path:
        """Return the table file with this login."""
        (self.folder / "password").write_text(login)
        said = f'username = "{login}"\npassword_file = "password"\n{more}'
        return small_table(self.folder, port=self.broker.port, broker=said)

    async def found(self, only: Half, login: str, more: str = "") -> list[DoctorFinding]:
        file = self.file(login, more)
        table = read_table_file(file)
        assert table is not None
        return await examine(file, table, key_paths(table.storage.keys), SystemClock(), registry.find_driver, only=only)

    def people(self) -> BrokerSettings:
        secret = self.folder / "people"
        secret.write_text("people")
        return BrokerSettings("127.0.0.1", self.broker.port, "people", secret)


@contextmanager
def placed(folder: Path, acl: str) -> Iterator[Place]:
    """Run the broker with `acl`; the table's keys are made."""
    there = folder / "mosquitto"
    there.mkdir()
    (there / "acl").write_text(f"{acl}\nuser people\ntopic readwrite pitwarden/#\n")
    (there / "passwd").write_text("".join(password_line(name, name) for name in LOGINS))
    with MosquittoBroker(
        there, ["allow_anonymous false", f"password_file {there}/passwd", f"acl_file {there}/acl"]
    ) as broker:
        place = Place(folder, broker)
        assert main(["keys", str(place.file("ta01"))]) == 0
        yield place


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with placed(tmp_path, acl_of_separate_halves()) as made:
        yield made


def of(findings: list[DoctorFinding], subject: str) -> list[tuple[str, str]]:
    """Level and words of the findings about `subject`; each that is not ok has a reason and a remedy."""
    found = [each for each in findings if each.subject == subject]
    assert all(each.level == "ok" or (each.why and each.remedy) for each in found)
    return [(each.level, each.what) for each in found]


@pytest.mark.parametrize("half", HALVES)
async def test_with_the_shipped_acl_a_half_lacks_nothing_and_its_login_may_do_no_more(half: Half, place: Place) -> None:
    findings = await place.found(half, f"ta01-{half}")
    count = {"field": 8, "judge": 9}[half]
    said = f"{count} topics written, and what the other half alone may write is refused"
    assert of(findings, "acl") == [("ok", said)]
    keys = {
        "field": ["field.key", "judge.key.pub", "judge.key.pub.sign"], "judge": ["judge.key", "field.key.pub"],
    }[half]  # fmt: skip
    assert [each.subject for each in findings if each.subject.startswith("key ")] == [f"key {name}" for name in keys]
    assert bool(of(findings, "device shoe")) == (half == "field")


@pytest.mark.parametrize(
    ("half", "line", "said"),
    [
        ("field", f"topic write {TABLE.events}", f"{TABLE.root}/events/doctor/probe may not be written"),
        ("field", f"topic read {TABLE.head}", f"{TABLE.head} is not delivered"),
        ("judge", f"topic write {TABLE.reveals}", f"{TABLE.reveals} may not be written"),
    ],
)
async def test_a_right_that_is_missing(half: Half, line: str, said: str, tmp_path: Path) -> None:
    acl = acl_of_separate_halves()
    assert f"{line}\n" in acl
    with placed(tmp_path, acl.replace(f"{line}\n", "", 1)) as place:
        findings = await place.found(half, f"ta01-{half}")
        assert of(findings, "acl") == [("bad", said)]
        [one] = [each for each in findings if each.subject == "acl"]
        assert one.remedy.endswith("pitwarden-apart.acl")


@pytest.mark.parametrize("half", HALVES)
async def test_a_login_of_both_halves_is_warned_of(half: Half, tmp_path: Path) -> None:
    with placed(tmp_path, acl_of_one_process()) as place:
        found = of(await place.found(half, "ta01"), "acl")
    assert {level for level, _ in found} == {"warning"}
    assert any("may be written too" in what for _, what in found)


async def test_where_the_broker_does_not_say_what_it_refuses_nothing_is_promised(place: Place) -> None:
    found = of(await place.found("judge", "ta01-judge", 'protocol = "3.1.1"'), "acl")
    assert {level for level, _ in found} == {"warning"}
    assert all("does not say what it refuses" in what for _, what in found)


@pytest.mark.parametrize("half", HALVES)
async def test_while_either_half_runs_its_readers_get_no_probe(half: Half, place: Place) -> None:
    other: Half = "judge" if half == "field" else "field"
    own = {
        TABLE.head,
        TABLE.state,
        TABLE.irregularities,
        TABLE.reveals,
        TABLE.position("judge"),
        TABLE.command("doctor"),
    }
    async with connection(place.people(), "people", ("pitwarden/#",)) as (people, heard):
        await people.send(TABLE.status(other), RUNS, retain=True)
        [(level, what)] = of(await place.found(half, f"ta01-{half}"), "acl")
        assert level == "ok"
        assert what.endswith("the service runs, so its own topics were left alone")
        await people.send(TABLE.state, b"fence")
        await heard.until(lambda: b"fence" in heard.payloads(TABLE.state))
        assert {message.topic for message in heard.messages if message.payload != b"fence"} & own == set()
        assert heard.payloads(TABLE.status(other)) == [RUNS]


async def test_the_public_key_of_the_other_half_is_copied_and_not_generated(place: Place) -> None:
    (place.folder / "keys" / "judge.key.pub").unlink()
    (place.folder / "keys" / "judge.key.pub.sign").unlink()
    (place.folder / "keys" / "judge.key").unlink()
    findings = await place.found("field", "ta01-field")
    assert of(findings, "key judge.key.pub.sign") == [("warning", "is not there: commands to devices are not checked")]
    [(level, what)] = of(findings, "key judge.key.pub")
    assert (level, what) == ("bad", f"{place.folder}/keys/judge.key.pub is missing")
    assert any("copy it from the controller of the other half" in each.remedy for each in findings)
    assert not of(findings, "key judge.key")


def test_the_command_asks_for_one_half(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    file = place.file("ta01-judge")
    (place.folder / "keys" / "field.key").unlink()
    capsys.readouterr()
    main(["doctor", "--only", "judge", "--json", str(file)])
    said = {each["subject"]: each["level"] for each in json.loads(capsys.readouterr().out)}
    assert (said["acl"], said["login"], said["key judge.key"]) == ("ok", "ok", "ok")
    assert not {"device shoe", "key field.key"} & set(said)
