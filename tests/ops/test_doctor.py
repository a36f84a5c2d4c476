"""Fault by fault, `pitwarden doctor` names what is wrong and the command that mends it."""

import asyncio
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from broker import Broker
from bus_people import connection
from fake_clock import FakeClock
from passwords import password_line
from pit import bridged
from pitwarden.cli.main import main
from pitwarden.cli.table_file import read
from pitwarden.clock import SystemClock
from pitwarden.config.models import Metrics
from pitwarden.doctor import broker, metrics, times
from pitwarden.doctor.bridges import connected
from pitwarden.doctor.delivery import Heard
from pitwarden.doctor.examine import examine
from pitwarden.doctor.finding import Finding
from pitwarden.doctor.probes import Login
from pitwarden.events.topics import Topics
from pitwarden.journal.field_store import FieldStore
from pitwarden.journal.judge_store import JudgeStore
from pitwarden.journal.seen import note
from pitwarden.journal.writer import WRITTEN_BY
from pitwarden.metrics.families import INFO
from pitwarden.metrics.meter import Meter, Reading
from pitwarden.metrics.server import Local, MetricsServer
from pitwarden.seal.key_files import key_files
from pitwarden_drivers import registry
from pitwarden_simulators.demo.plugs import plugged
from pitwarden_simulators.table.build import SERIALS, build
from pitwarden_simulators.table.setup import TAB_SHIELDED
from site_broker import Site
from small_table import small_table
from waiting import until

ACL = Path(__file__).parents[2] / "config" / "mosquitto" / "pitwarden.acl"
TLS = Path(__file__).parents[1] / "bus" / "tls"
NOW_MS = SystemClock().utc().utc_ms


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A table with keys whose broker and shoe are not there."""
    made = small_table(tmp_path)
    assert main(["keys", str(made)]) == 0
    return made


async def found(file: Path) -> list[Finding]:
    table = read(file)
    assert table is not None
    return await examine(file, table, key_files(table.storage.keys), SystemClock(), registry.find)


def bad(findings: list[Finding], subject: str) -> str:
    """What is said of the one bad finding about `subject`; each has a reason and a remedy."""
    [one] = [each for each in findings if each.level == "bad" and each.subject == subject]
    assert one.why
    assert one.mend
    return f"{one.what} / {one.mend}"


async def test_a_key_that_others_can_read(file: Path) -> None:
    (file.parent / "keys" / "judge.key").chmod(0o644)
    assert "chmod 600" in bad(await found(file), "key judge.key")


async def test_a_missing_key(file: Path) -> None:
    (file.parent / "keys" / "field.key").unlink()
    assert f"pitwarden keys {file}" in bad(await found(file), "key field.key")


async def test_an_absent_broker_and_an_absent_device(file: Path) -> None:
    findings = await found(file)
    assert "127.0.0.1:1 cannot be reached" in bad(findings, "broker")
    assert "/nowhere/shoe is not there" in bad(findings, "device shoe")


def test_a_refused_table_file_names_line_and_spelling(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(file.read_text().replace("serial", "seriall"))
    assert main(["doctor", str(file), "--json"]) == 78
    said = json.loads(capsys.readouterr().out)
    assert any("did you mean serial?" in each["what"] for each in said)


def test_it_speaks_to_people_and_says_that_something_is_bad(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["doctor", str(file)]) == 1
    said = capsys.readouterr().out
    assert "bad     broker: 127.0.0.1:1 cannot be reached" in said
    assert "mend: systemctl status mosquitto" in said


@pytest.mark.broker
@pytest.mark.parametrize(("file_name", "said"), [("expired.crt", "expired"), ("tests-only.crt", "")])
async def test_an_expired_certificate(file_name: str, said: str, file: Path, tmp_path: Path) -> None:
    cert, key = TLS / file_name, TLS / "tests-only.key"
    lines = [f"cafile {cert}", f"certfile {cert}", f"keyfile {key}", "allow_anonymous true"]
    with Broker(tmp_path / "mosquitto", lines) as running:
        small_table(tmp_path, port=running.port, broker=f'ca = "{cert}"')
        findings = await found(file)
        if said:
            assert said in bad(findings, "tls")
        else:
            assert next(each for each in findings if each.subject == "tls").level == "ok"


def with_acl(folder: Path, change: Callable[[str], str]) -> Broker:
    folder.mkdir()
    (folder / "acl").write_text(change(ACL.read_text()))
    (folder / "passwd").write_text(password_line("ta01", "table"))
    return Broker(folder, ["allow_anonymous false", f"password_file {folder}/passwd", f"acl_file {folder}/acl"])


@contextmanager
def table_at(broker: Broker, folder: Path, said: str = "table") -> Iterator[None]:
    """The broker runs, and the table logs in to it with what is `said`."""
    (folder / "password").write_text(said)
    with broker:
        small_table(folder, port=broker.port, broker='username = "ta01"\npassword_file = "password"')
        yield


@pytest.mark.broker
async def test_with_the_shipped_acl_every_topic_of_the_service_is_delivered(file: Path, tmp_path: Path) -> None:
    with table_at(with_acl(tmp_path / "mosquitto", str), tmp_path):
        findings = await found(file)
    [acl] = [each for each in findings if each.subject == "acl"]
    assert (acl.level, acl.what) == ("ok", "15 topics written, and delivered")


@pytest.mark.broker
async def test_a_bridge_that_is_down(file: Path, tmp_path: Path) -> None:
    table = read(file)
    assert table is not None
    with bridged(tmp_path / "bridge") as pit:
        settings, topics = pit.controller.service("ta01"), Topics("harbor", "ta01")

        async def looked() -> list[Finding]:
            return await broker.look(settings, Login(topics, "judge"), Heard(), 0)

        async with connection(settings, "ta01", (connected("+"),)) as (_, heard):
            await heard.until(lambda: b"1" in heard.payloads(connected("ta01-bridge")))
            assert next(each for each in await looked() if each.subject == "bridge ta01-bridge").level == "ok"
            pit.broker.kill()
            await heard.until(lambda: b"0" in heard.payloads(connected("ta01-bridge")))
        assert "journalctl -u mosquitto" in bad(await looked(), "bridge ta01-bridge")


@pytest.mark.broker
async def test_a_denied_topic(file: Path, tmp_path: Path) -> None:
    def without_reveals(acl: str) -> str:
        return acl.replace("pattern write pitwarden/v1/harbor/%u/reveals\n", "")

    with table_at(with_acl(tmp_path / "mosquitto", without_reveals), tmp_path):
        said = bad(await found(file), "acl")
    assert said.startswith("pitwarden/v1/harbor/ta01/reveals may not be written")


@pytest.mark.broker
async def test_a_wrong_password(file: Path, tmp_path: Path) -> None:
    with table_at(with_acl(tmp_path / "mosquitto", str), tmp_path, said="wrong"):
        assert "password_file" in bad(await found(file), "login")


async def test_metrics_that_nobody_can_read(tmp_path: Path) -> None:
    path = tmp_path / "metrics"
    local = Metrics(socket=path)
    assert "to be served" in next(iter(await metrics.look(local, NOW_MS, running=False))).what
    assert f"{path} cannot be read" in bad(await metrics.look(local, NOW_MS, running=True), "metrics")
    meter = Meter()
    meter.watch(lambda: [Reading(INFO, 1, ("field", "", "", ""))], "harbor/ta01")
    serving = asyncio.create_task(MetricsServer(Local(path), meter.text).run(), name="metrics")
    await until(path.exists)
    assert (await metrics.look(local, NOW_MS, running=True))[0].level == "ok"
    serving.cancel()
    await asyncio.wait({serving})
    guarded = Metrics(host="127.0.0.1", port=1, cert=TLS / "gone", key=TLS / "gone", client_ca=TLS / "gone")
    assert "cannot be opened" in bad(await metrics.look(guarded, NOW_MS, running=False), "metrics")
    cert, key = TLS / "tests-only.crt", TLS / "tests-only.key"
    guarded = Metrics(host="127.0.0.1", port=1, cert=cert, key=key, client_ca=cert)
    assert (await metrics.look(guarded, NOW_MS, running=False))[0].level == "ok"
    assert "nobody listens at 127.0.0.1:1" in bad(await metrics.look(guarded, NOW_MS, running=True), "metrics")


@pytest.mark.parametrize(("days", "level", "said"), [(2, "warning", "ends within 7 days"), (-2, "bad", "ended on")])
async def test_a_certificate_for_the_metrics_that_ends(tmp_path: Path, days: int, level: str, said: str) -> None:
    site = Site(tmp_path, trustme.CA())
    cert, key = site.certificate("ta01", expires=datetime.now(UTC) + timedelta(days=days))
    guarded = Metrics(host="127.0.0.1", port=1, cert=cert, key=key, client_ca=site.ca)
    served, ends = await metrics.look(guarded, NOW_MS, running=False)
    assert (served.level, ends.level) == ("ok", level)
    assert f"our certificate ta01.crt {said}" in ends.what


def test_a_bad_clock() -> None:
    clock = FakeClock()
    clock.utc_now, clock.synchronised = 1_000_000, False
    assert "not synchronised" in bad([times.look(clock, None)], "clock")
    assert "1000 s behind the newest row" in bad([times.look(clock, 2_000_000)], "clock")
    clock.synchronised = True
    assert times.look(clock, 999_999).level == "ok"


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_full_disk(file: Path) -> None:
    journals = file.parent / "journals"
    journals.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", journals], check=True)
    try:
        assert "0 MiB free" in bad(asyncio.run(found(file)), "disk")
    finally:
        subprocess.run(["umount", journals], check=True)


async def test_a_damaged_journal(file: Path) -> None:
    journals = file.parent / "journals"
    journals.mkdir()
    (journals / "field.sqlite").write_bytes(b"SQLite format 3\0" + bytes(4_000))
    JudgeStore(journals / "judge.sqlite").close()
    note(journals / "judge.sqlite", "seen last night")
    (journals / "judge.sqlite.damaged-1").write_bytes(b"")
    findings = await found(file)
    assert "field.sqlite" in bad(findings, "field journal")
    assert "seen last night" in bad(findings, "judge journal")
    assert any("judge.sqlite.damaged-1" in each.what for each in findings if each.level == "warning")


async def test_a_journal_of_a_newer_version(file: Path) -> None:
    journals = file.parent / "journals"
    journals.mkdir()
    field, judge = FieldStore(journals / "field.sqlite"), JudgeStore(journals / "judge.sqlite")
    judge.set_meta("harbor/ta01", WRITTEN_BY, "99.0")
    with field.database.transaction() as sql:
        sql.execute("PRAGMA user_version=99")
    field.database.close()
    judge.database.close()
    findings = await found(file)
    assert "layout 99" in bad(findings, "field journal")
    assert "pitwarden 99.0 went on with it" in bad(findings, "judge journal")


async def test_a_device_that_is_another_and_one_that_is_right(file: Path, tmp_path: Path) -> None:
    built = build(TAB_SHIELDED, "7")
    async with plugged({"shoe": built.devices["shoe"]}, tmp_path, SystemClock(), lambda: None) as plugs:
        small_table(tmp_path, shoe=plugs["shoe"].place)
        assert f"expected shoe N1, found shoe {SERIALS['shoe']}" in bad(await found(file), "device shoe")
        small_table(tmp_path, shoe=plugs["shoe"].place, serial=SERIALS["shoe"])
        right = next(each for each in await found(file) if each.subject == "device shoe")
        assert right.level == "ok"
        assert SERIALS["shoe"] in right.what
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("device")]
