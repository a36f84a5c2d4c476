"""Compatibility as a promise: consumers of each landed version of the contract work with the newest service."""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pitwarden.cli.main import main
from pitwarden_client import BrokerSettings, ConsumerConfig, OutputItem, connect
from pitwarden_client.contract.asyncapi import MINOR
from pitwarden_client.events.envelope import SCHEMA_VERSION
from pitwarden_simulators.table.setup import TABLES
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.consumers.published_night import published_night
from testkit.installation.node import Js
from testkit.processes.live_table import table

PUBLISHED = Path(__file__).with_name("published")
VERSIONS = [f"{SCHEMA_VERSION}.{minor}" for minor in range(MINOR)]

BEFORE_THE_PROMISE = {
    "1.0": [
        "KpSettled.wager: enum has ['bonus'] that readers do not know",
        "KpWager.wager: enum has ['bonus'] that readers do not know",
    ]
}
"""Changes of the first day, for games that 1.0 did not know. No further one is accepted."""


def contract(version: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((PUBLISHED / f"{version}.json").read_text())
    return read


def test_the_contract_of_every_landed_version_is_kept() -> None:
    kept = {file.stem: contract(file.stem)["info"]["version"] for file in PUBLISHED.glob("*.json")}
    missing = (
        f"raising MINOR keeps what it replaces: pitwarden schema >{PUBLISHED.name}/VERSION.json, before the change"
    )
    assert kept == {version: version for version in VERSIONS}, missing


@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_breaks_a_consumer_of_a_landed_version(version: str, capsys: pytest.CaptureFixture[str]) -> None:
    accepted = BEFORE_THE_PROMISE.get(version, [])
    assert main(["schema", "--against", str(PUBLISHED / f"{version}.json")]) == (1 if accepted else 0)
    assert capsys.readouterr().out.splitlines() == (accepted or ["nothing breaks a consumer of it"])


@pytest.mark.parametrize("version", [version for version in VERSIONS if version not in BEFORE_THE_PROMISE])
@pytest.mark.parametrize(
    "played", [("cb-auto", "1", 3, "shoe_jam"), ("tab-shielded", "2", 2, "stray_ten")], ids=lambda played: played[0]
)
def test_the_newest_messages_are_valid_for_the_reader_of_a_landed_version(
    version: str, played: tuple[str, str, int, str]
) -> None:
    old = contract(version)
    seen: Counter[str] = Counter()
    for said in published_night(*played):
        if not said.channel.sent:  # written by terminals and consumers: what they send is judged by the newest service
            continue
        if said.channel.name not in old["channels"]:  # a later version added the topic; this reader subscribes to none
            continue
        [message] = old["channels"][said.channel.name]["messages"].values()
        payload = old["components"]["messages"][message["$ref"].rpartition("/")[2]]["payload"]
        read = json.loads(said.payload)
        seen[kind := f"{said.channel.name} {read.get('data', read).get('kind')}"] += 1
        if seen[kind] > 3:
            continue
        schema = {"components": {"schemas": old["components"]["schemas"]}, **payload}
        found = next(Draft202012Validator(schema).iter_errors(read), None)
        assert found is None, f"{said.topic}: {found}"
    assert len(seen) > 20


@pytest.mark.broker
@pytest.mark.full
@pytest.mark.timeout(180)  # the first time, the packages come from the registry
async def test_a_consumer_written_for_the_first_version_reads_the_newest_service(
    broker: MosquittoBroker, tmp_path: Path, js: Js
) -> None:
    first = str(PUBLISHED / f"{VERSIONS[0]}.json")
    async with table(TABLES["cb-auto"], broker, tmp_path) as rig:
        await rig.start()
        await rig.ready()
        words = js.command("consumer.mjs", f"mqtt://127.0.0.1:{broker.port}", first, "rig", "cb-auto", "7")
        theirs = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
        assert theirs.stdout is not None
        assert await theirs.stdout.readline() == b"ready\n"
        await rig.play(2)
        settings = ConsumerConfig(BrokerSettings("127.0.0.1", broker.port), "rig", "cb-auto", "ours", follow=False)
        async with connect(settings) as events:
            outputs = [item async for item in events if isinstance(item, OutputItem)]
        assert await rig.stop() == 0
        known = json.loads(await theirs.stdout.read())
        assert await theirs.wait() == 0
    reveals = [item for item in outputs if item.event is not None and item.event.data.kind == "reveal"]
    assert sum(len(each["cards"]) for each in known["rounds"]) == len(reveals) > 10
    assert sum(each["proved"] for each in known["rounds"]) >= len(reveals)
    assert known["outputs"] >= len(outputs)
    assert known["replays"] > 0, "nothing was lost on the way"
