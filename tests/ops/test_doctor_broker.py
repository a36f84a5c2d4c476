"""What `pitwarden doctor` says of a broker: its certificate, its rules, the login, a bridge."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pitwarden.cli.table_file import read_table_file
from pitwarden.doctor import broker
from pitwarden.doctor.findings import DoctorFinding
from pitwarden.doctor.topics import LoginTopics, ObservedMessages, bridge_state_topic
from pitwarden_client.events.topics import Topics
from testkit.brokers.clients import connection
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.brokers.pit_bridge import bridged
from testkit.brokers.site_broker import password_line
from testkit.tables.examined_table import file, found, only_bad_finding
from testkit.tables.table_file import small_table

__all__ = ["file"]
ACL = Path(__file__).parents[2] / "config" / "mosquitto" / "pitwarden.acl"
TLS = Path(__file__).parents[1] / "bus" / "tls"

pytestmark = pytest.mark.broker


@pytest.mark.parametrize(("file_name", "said"), [("expired.crt", "expired"), ("tests-only.crt", "")])
async def test_an_expired_certificate(file_name: str, said: str, file: Path, tmp_path: Path) -> None:
    cert, key = TLS / file_name, TLS / "tests-only.key"
    lines = [f"cafile {cert}", f"certfile {cert}", f"keyfile {key}", "allow_anonymous true"]
    with MosquittoBroker(tmp_path / "mosquitto", lines) as running:
        small_table(tmp_path, port=running.port, broker=f'ca = "{cert}"')
        findings = await found(file)
        if said:
            assert said in only_bad_finding(findings, "tls")
        else:
            assert next(each for each in findings if each.subject == "tls").level == "ok"


def with_acl(folder: Path, change: Callable[[str], str]) -> MosquittoBroker:
    folder.mkdir()
    (folder / "acl").write_text(change(ACL.read_text()))
    (folder / "passwd").write_text(password_line("ta01", "table"))
    return MosquittoBroker(
        folder, ["allow_anonymous false", f"password_file {folder}/passwd", f"acl_file {folder}/acl"]
    )


@contextmanager
def table_at(broker: MosquittoBroker, folder: Path, said: str = "table") -> Iterator[None]:
    """Run the broker, and have the table log in with `said`."""
    (folder / "password").write_text(said)
    with broker:
        small_table(folder, port=broker.port, broker='username = "ta01"\npassword_file = "password"')
        yield


async def test_a_password_file_that_is_not_there_is_a_finding(file: Path, tmp_path: Path) -> None:
    with table_at(with_acl(tmp_path / "mosquitto", str), tmp_path):
        (tmp_path / "password").unlink()
        assert "password cannot be read" in only_bad_finding(await found(file), "login")


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b""])
async def test_what_answers_at_the_address_and_is_no_broker(answer: bytes, file: Path, tmp_path: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        small_table(tmp_path, port=port)
        said = only_bad_finding(await found(file), "broker")
    assert f"what answers at 127.0.0.1:{port} is no broker that takes us" in said
    assert "see host and port, or addresses, under [broker]" in said


async def test_with_the_shipped_acl_every_topic_of_the_service_is_delivered(file: Path, tmp_path: Path) -> None:
    with table_at(with_acl(tmp_path / "mosquitto", str), tmp_path):
        findings = await found(file)
    [acl] = [each for each in findings if each.subject == "acl"]
    assert (acl.level, acl.what) == ("ok", "16 topics written, and delivered")


async def test_a_broker_that_takes_no_long_row(file: Path, tmp_path: Path) -> None:
    with MosquittoBroker(tmp_path / "mosquitto", ["allow_anonymous true", "max_packet_size 4000"]) as running:
        small_table(tmp_path, port=running.port)
        said = only_bad_finding(await found(file), "broker")
    assert said.startswith("takes messages of 4000 bytes at most")
    assert "max_packet_size" in said


async def test_a_bridge_that_is_down(file: Path, tmp_path: Path) -> None:
    table = read_table_file(file)
    assert table is not None
    with bridged(tmp_path / "bridge") as pit:
        settings, topics = pit.controller.service("ta01"), Topics("harbor", "ta01")

        async def looked() -> list[DoctorFinding]:
            return await broker.check_broker(settings, LoginTopics(topics, "judge"), ObservedMessages(), 0)

        async with connection(settings, "ta01", (bridge_state_topic("+"),)) as (_, heard):
            await heard.until(lambda: b"1" in heard.payloads(bridge_state_topic("ta01-bridge")))
            assert next(each for each in await looked() if each.subject == "bridge ta01-bridge").level == "ok"
            pit.broker.kill()
            await heard.until(lambda: b"0" in heard.payloads(bridge_state_topic("ta01-bridge")))
        assert "journalctl -u mosquitto" in only_bad_finding(await looked(), "bridge ta01-bridge")


async def test_a_denied_topic(file: Path, tmp_path: Path) -> None:
    def without_reveals(acl: str) -> str:
        return acl.replace("topic write pitwarden/v1/harbor/ta01/reveals\n", "")

    with table_at(with_acl(tmp_path / "mosquitto", without_reveals), tmp_path):
        said = only_bad_finding(await found(file), "acl")
    assert said.startswith("pitwarden/v1/harbor/ta01/reveals may not be written")


async def test_a_wrong_password(file: Path, tmp_path: Path) -> None:
    with table_at(with_acl(tmp_path / "mosquitto", str), tmp_path, said="wrong"):
        assert "password_file" in only_bad_finding(await found(file), "login")
