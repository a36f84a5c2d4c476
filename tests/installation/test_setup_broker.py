"""A real mosquitto takes the files of `pitwarden setup`: each login gets its rights, and no other."""

import argparse
import asyncio
from pathlib import Path

import pytest
from tests.installation.test_setup import ANSWERS, PIT

from pitwarden.bus.connection import Connection
from pitwarden.bus.messages import InboundMessage
from pitwarden.cli.consumer_options import consumer_name, parse_targets
from pitwarden.cli.main import main
from pitwarden.cli.terminal_profile import load_profile_file
from pitwarden_client.events.codec import decode
from pitwarden_client.events.floor import FtTenDestroyed
from pitwarden_client.events.inputs import TerminalInput
from pitwarden_client.events.topics import HALVES, Topics
from pitwarden_client.mqtt.errors import AccessRefusedError, BusError
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_simulators.ports.free import FreePort
from testkit.brokers.mosquitto import MosquittoBroker, missing_mosquitto

pytestmark = [pytest.mark.broker, pytest.mark.skipif(bool(missing_mosquitto()), reason=missing_mosquitto())]

TOPICS = Topics("harbor", "ta07")


def installed_broker(tmp_path: Path, more: str) -> tuple[Path, MosquittoBroker, FreePort, FreePort]:
    """Return an image that setup filled, and its broker on free ports; its paths begin at the image."""
    image, answers = tmp_path / "image", tmp_path / "answers.toml"
    answers.write_text(ANSWERS + more)
    assert main(["setup", "ta07", "--answers", str(answers), "--root", str(image)]) == 0
    plain, tls = FreePort(), FreePort()
    text = "".join(file.read_text() for file in sorted((image / "etc/mosquitto/conf.d").glob("*.conf"), reverse=True))
    text = text.replace("/etc/mosquitto", str(image / "etc/mosquitto"))
    text = text.replace("listener 1883 127.0.0.1", f"listener {plain.number} 127.0.0.1")
    text = text.replace("listener 8883", f"listener {tls.number} 127.0.0.1")
    text = text.replace("max_queued_messages 2000", "").replace(
        "set_tcp_nodelay true", ""
    )  # the rig's broker sets them
    for name in ("pitwarden.passwd", "pitwarden.acl", "certs/controller.key"):
        if (image / "etc/mosquitto" / name).exists():
            (image / "etc/mosquitto" / name).chmod(0o600)
    return image, MosquittoBroker(tmp_path / "broker", text.splitlines()), plain, tls


async def may_publish(broker: BrokerSettings, topic: str) -> bool:
    connection = Connection(broker, "setup-test", lambda message: message.ack())
    await connection.open()
    try:
        async with asyncio.timeout(10):
            await connection.send(topic, b"{}")
    except BusError:
        return False
    finally:
        await connection.disconnect()
    return True


async def test_a_terminal_of_the_pit_joins_by_its_folder_and_keys_its_own_inputs_alone(tmp_path: Path) -> None:
    image, broker, _, tls = installed_broker(tmp_path, PIT)
    profile = image / "etc/pitwarden/terminals/ta07-floor/profile.toml"
    profile.write_text(profile.read_text().replace(":8883", f":{tls.number}"))
    with broker:
        terminal = load_profile_file(profile)
        assert (terminal.role, terminal.terminal) == ("floor", "ta07-floor")
        assert await may_publish(terminal.broker, TOPICS.input("floor", "ta07-floor"))
        assert not await may_publish(terminal.broker, TOPICS.input("supervisor", "ta07-floor"))
        assert not await may_publish(terminal.broker, TOPICS.input("floor", "ta07-dealer"))
        assert not await may_publish(terminal.broker, TOPICS.state)


async def test_a_local_terminal_and_the_service_log_in_by_their_passwords(tmp_path: Path) -> None:
    image, broker, plain, _ = installed_broker(tmp_path, "")
    profile = image / "etc/pitwarden/terminals/ta07-dealer/profile.toml"
    profile.write_text(profile.read_text().replace(":1883", f":{plain.number}"))
    halves = {half: image / f"etc/pitwarden/ta07.keys/{half}/broker.password" for half in HALVES}
    field, judge = (BrokerSettings("127.0.0.1", plain.number, f"ta07-{half}", halves[half]) for half in HALVES)
    with broker:
        assert await may_publish(load_profile_file(profile).broker, TOPICS.input("dealer", "ta07-dealer"))
        assert await may_publish(judge, TOPICS.state)
        assert not await may_publish(field, TOPICS.state)
        assert await may_publish(field, TOPICS.head)
        assert not await may_publish(judge, TOPICS.head)
        assert not await may_publish(judge, Topics("harbor", "ta08").state)
        halves["judge"].write_text("guessed")
        with pytest.raises(AccessRefusedError):
            await may_publish(judge, TOPICS.state)


async def test_a_consumer_joins_by_its_folder_and_asks_for_the_log_under_its_own_name(tmp_path: Path) -> None:
    image, broker, plain, _ = installed_broker(tmp_path, "")
    folder = image / "etc/pitwarden/terminals/historian"
    profile = folder / "ta07.toml"
    profile.write_text(profile.read_text().replace(":1883", f":{plain.number}"))
    (target,) = parse_targets(argparse.Namespace(config=[], profile=[profile], table=[], broker=None))
    assert target.consumer == "historian"
    assert consumer_name(argparse.Namespace(name=None), "tail", target.consumer) == "historian"
    with broker:
        assert await may_publish(target.broker, TOPICS.replay_request("historian"))
        assert not await may_publish(target.broker, TOPICS.replay_request("tail-1"))
        assert not await may_publish(target.broker, TOPICS.input("floor", "ta07-floor"))


async def test_input_with_a_profile_needs_neither_table_file_nor_role(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image, broker, plain, _ = installed_broker(tmp_path, "")
    profile = image / "etc/pitwarden/terminals/ta07-floor/profile.toml"
    profile.write_text(profile.read_text().replace(":1883", f":{plain.number}"))
    service = BrokerSettings(
        "127.0.0.1", plain.number, "ta07-field", image / "etc/pitwarden/ta07.keys/field/broker.password"
    )
    received: list[TerminalInput] = []

    def receive(message: InboundMessage) -> None:
        received.append(decode(TerminalInput, message.payload))
        message.ack()

    with broker:
        table = Connection(service, "setup-test", receive)
        await table.open()
        await table.subscribe_all([TOPICS.input("floor", "ta07-floor")])
        words = ["input", "--profile", str(profile), "--person", "f7", "--witness", "f8", "ft.ten_destroyed"]
        assert await asyncio.to_thread(main, words) == 1
        await table.disconnect()
    assert "no answer: the field half did not reply" in capsys.readouterr().err, "no table runs here"
    assert {(one.person, one.witness, one.act) for one in received} == {("f7", "f8", FtTenDestroyed())}


async def test_input_takes_the_certificate_of_a_terminal_from_its_arguments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image, broker, plain, tls = installed_broker(tmp_path, PIT)
    folder = image / "etc/pitwarden/terminals/ta07-floor"
    service = BrokerSettings(
        "127.0.0.1", plain.number, "ta07-field", image / "etc/pitwarden/ta07.keys/field/broker.password"
    )
    received: list[TerminalInput] = []

    def receive(message: InboundMessage) -> None:
        received.append(decode(TerminalInput, message.payload))
        message.ack()

    where = [
        "--table",
        "harbor/ta07",
        "--broker",
        f"mqtts://127.0.0.1:{tls.number}",
        "--ca",
        str(folder / "site-ca.crt"),
    ]
    proof = ["--cert", str(folder / "ta07-floor.crt"), "--key", str(folder / "ta07-floor.key")]
    with broker:
        table = Connection(service, "setup-test", receive)
        await table.open()
        await table.subscribe_all([TOPICS.input("floor", "ta07-floor")])
        words = ["input", *where, *proof, "--role", "floor", "--terminal", "ta07-floor", "ft.ten_destroyed"]
        assert await asyncio.to_thread(main, words) == 1
        await table.disconnect()
    assert "no answer: the field half did not reply" in capsys.readouterr().err, "no table runs here"
    assert {one.act for one in received} == {FtTenDestroyed()}
