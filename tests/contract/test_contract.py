"""The contract is what the models say, what the service does, and what a public validator accepts."""

import copy
import json
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pitwarden_client.contract import asyncapi, channels
from pitwarden_client.contract.compatibility import breaking_changes
from pitwarden_client.contract.schemas import components, plain_schema, schema_of
from pitwarden_client.events.topics import CLOUDEVENTS_JSON, Topics, carries_cloudevents
from testkit.consumers.published_night import channel_of, published_night
from testkit.installation.node import Js

GOLDEN = Path(asyncapi.__file__).with_name("v1.json")
TOPICS = Topics("s", "t")


@cache
def validator(name: str) -> Draft202012Validator:
    schema = plain_schema(schema_of(name))
    assert isinstance(schema, dict)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_the_published_contract_is_the_one_that_the_models_give() -> None:
    published, now = json.loads(GOLDEN.read_text()), json.loads(json.dumps(asyncapi.asyncapi_document()))
    bless = f"pitwarden schema > {GOLDEN.relative_to(Path.cwd())}"
    if published["info"]["version"].split(".")[0] == now["info"]["version"].split(".")[0]:
        assert not breaking_changes(published, now), (
            "this breaks consumers of version 1, unless the version is not released yet"
        )
    assert published == now, f"the contract has changed: raise MINOR in contract/asyncapi.py, then {bless}"


TOPIC_OF = {
    "events": TOPICS.event("shoe", "shoe.card"),
    "irregularities": TOPICS.irregularities,
    "reveals": TOPICS.reveals,
    "state": TOPICS.state,
    "status": TOPICS.status("field"),
    "deviceStatus": TOPICS.device_status("shoe"),
    "head": TOPICS.head,
    "record": TOPICS.record,
    "inputs": TOPICS.input("floor", "x"),
    "replies": TOPICS.reply("floor", "x"),
    "commands": TOPICS.command("shoe"),
    "commandReplies": TOPICS.command_reply("shoe"),
    "positions": TOPICS.position("pit"),
    "replayRequests": TOPICS.replay_request("pit"),
    "replayLog": TOPICS.replay("pit", "log"),
    "replayOutputs": TOPICS.replay("pit", "outputs"),
    "replayReplies": TOPICS.replay_reply("pit"),
}


@pytest.mark.parametrize(("channel", "topic"), TOPIC_OF.items())
def test_each_channel_is_the_topic_that_the_service_uses(channel: str, topic: str) -> None:
    assert channel_of(topic).name == channel


@pytest.mark.parametrize(("channel", "topic"), TOPIC_OF.items())
def test_the_content_type_of_the_contract_is_the_one_that_the_service_sets(channel: str, topic: str) -> None:
    document: Any = asyncapi.asyncapi_document()
    [reference] = document["channels"][channel]["messages"].values()
    message = document["components"]["messages"][reference["$ref"].rpartition("/")[2]]
    says = message["contentType"] == CLOUDEVENTS_JSON == message.get("bindings", {}).get("mqtt", {}).get("contentType")
    assert says is carries_cloudevents(topic)
    assert not carries_cloudevents(f"elsewhere/{topic}")
    assert not carries_cloudevents(f"{topic}/further") or channel == "events"


def test_each_request_names_the_channel_of_its_reply() -> None:
    document: Any = asyncapi.asyncapi_document()
    replies = {
        each["channel"]["$ref"]: each["reply"]["channel"]["$ref"]
        for each in document["operations"].values()
        if "reply" in each
    }
    assert {TOPIC_OF[one.rpartition("/")[2]]: TOPIC_OF[two.rpartition("/")[2]] for one, two in replies.items()} == {
        TOPICS.input("floor", "x"): TOPICS.reply("floor", "x"),
        TOPICS.command("shoe"): TOPICS.command_reply("shoe"),
        TOPICS.replay_request("pit"): TOPICS.replay_reply("pit"),
    }


def test_no_channel_is_left_out_of_the_test_above() -> None:
    assert {channel.name for channel in channels.CHANNELS} == TOPIC_OF.keys()


@pytest.mark.parametrize(
    "played", [("cb-auto", "1", 3, "shoe_jam"), ("tab-shielded", "2", 2, "stray_ten"), ("tab-visible", "3", 1)]
)
def test_every_message_of_a_night_is_valid(played: tuple[Any, ...]) -> None:
    _, names = components("#/$defs/")
    seen: Counter[str] = Counter()
    for said in published_night(*played):
        message = json.loads(said.payload)
        seen.update([said.channel.name, kind := f"{said.channel.name} {message.get('data', message).get('kind')}"])
        if seen[kind] > 10:
            continue
        found = next(validator(names[said.channel.message.__name__]).iter_errors(message), None)
        assert found is None, f"{said.topic}: {found}"
    assert {"events", "state", "reveals", "inputs", "replies", "status", "head", "deviceStatus"} <= set(seen)


def test_each_status_of_a_half_states_that_its_table_is_simulated() -> None:
    said = [
        json.loads(each.payload) for each in published_night("cb-auto", "1", 3, "shoe_jam") if "/status/" in each.topic
    ]
    halves = [each for each in said if "online" in each]
    assert {(each["online"], each["simulated"]) for each in halves} == {(True, True), (False, True)}


def test_what_a_reader_does_not_know_yet_is_valid_and_what_a_writer_makes_up_is_not() -> None:
    row = json.loads(
        next(said.payload for said in published_night("cb-auto", "1", 3, "shoe_jam") if "/events/" in said.topic)
    )
    later = {**row, "weather": "rain", "data": {"kind": "shoe.warmed", "degrees": 31}}
    assert validator("LogEvent").is_valid(later)
    broken = {**row, "data": {"kind": "shoe.card"}}
    assert not validator("LogEvent").is_valid(broken)
    keyed = {"id": "1", "person": "f1", "as_of": None, "act": {"act": "ft.table_open"}}
    assert validator("TerminalInput").is_valid(keyed)
    assert not validator("TerminalInput").is_valid({**keyed, "weather": "rain"})
    assert not validator("TerminalInput").is_valid({**keyed, "act": {"act": "ft.make_tea"}})


def _changed(*path: str, to: object = None) -> dict[str, Any]:
    """Return the contract with the value at `path` replaced, or removed."""
    made: dict[str, Any] = copy.deepcopy(json.loads(json.dumps(asyncapi.asyncapi_document())))
    node: Any = made
    for step in path[:-1]:
        node = node[step]
    if to is None:
        del node[path[-1]]
    else:
        node[path[-1]] = to
    return made


SCHEMAS = ("components", "schemas")


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        (_changed("channels", "head"), "channel head is gone"),
        (_changed("channels", "head", "address", to="elsewhere"), "another address"),
        (_changed("operations", "sendState", "bindings", "mqtt", "retain", to=0), "retained or acknowledged otherwise"),
        (_changed(*SCHEMAS, "ShoeCut"), "schema ShoeCut is gone"),
        (_changed(*SCHEMAS, "Permit", "properties", "granted"), "Permit.granted is gone"),
        (_changed(*SCHEMAS, "Permit", "properties", "granted", "type", to="string"), "type was 'boolean'"),
        (_changed(*SCHEMAS, "Permit", "required", to=["granted"]), "may lack expires_ms, reasons"),
        (_changed(*SCHEMAS, "TerminalInput", "required", to=["id", "person", "as_of", "act", "pin"]), "demands pin"),
        (_changed(*SCHEMAS, "ReplayRequest", "properties", "of", "enum", to=["log"]), "lacks ['outputs']"),
        (_changed(*SCHEMAS, "ShoeFault", "properties", "fault", "enum", to=["jam", "stopped", "short", "x"]), "['x']"),
    ],
)
def test_what_would_break_a_consumer_is_named(new: dict[str, Any], reason: str) -> None:
    found = breaking_changes(asyncapi.asyncapi_document(), new)
    assert len(found) >= 1
    assert any(reason in each for each in found)


def test_additions_break_no_consumer() -> None:
    new = _changed(*SCHEMAS, "Permit", "properties", "colour", to={"type": "string"})
    new["channels"]["weather"] = new["channels"]["head"]
    new["components"]["schemas"]["ShoeWarmed"] = {"type": "object"}
    data = new["components"]["schemas"]["LogEvent"]["properties"]["data"]
    data["oneOf"].append({"$ref": "#/components/schemas/ShoeWarmed"})
    new["components"]["schemas"]["FurtherLogEventData"]["not"]["properties"]["kind"]["enum"].append("shoe.warmed")
    new["components"]["schemas"]["ReplayRequest"]["properties"]["of"]["enum"].append("inputs")
    verdicts = new["components"]["schemas"]["Irregularity"]["properties"]["verdicts"]
    verdicts["title"] = verdicts["items"]["title"] = "Words"  # what a generator calls it binds no message
    assert breaking_changes(json.loads(json.dumps(asyncapi.asyncapi_document())), new) == []


@pytest.mark.slow
@pytest.mark.timeout(180)  # the first time, the packages come from the registry
def test_the_public_parser_of_asyncapi_finds_no_error(tmp_path: Path, js: Js) -> None:
    good, broken = tmp_path / "good.json", tmp_path / "broken.json"
    document = json.loads(json.dumps(asyncapi.asyncapi_document()))
    good.write_text(json.dumps(document))
    broken.write_text(json.dumps(_changed(*SCHEMAS, "Position")))
    words = js.command("validate.mjs", str(good), str(broken))
    judged = subprocess.run(words, capture_output=True, text=True, check=False)
    verdicts = judged.stdout.splitlines()
    sizes = f"{len(document['channels'])} channels, {len(document['operations'])} operations"
    assert verdicts[0] == f"good.json: {sizes}", judged.stdout + judged.stderr
    assert len(verdicts) > 1, "a reference to nothing must be found"
    assert all("Position" in each for each in verdicts[1:])
    assert judged.returncode == 1
