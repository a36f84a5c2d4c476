"""The bridges of the examples: Home Assistant's discovery, Node-RED's flow, the alert by webhook, the state board."""

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import aiomqtt
import pytest

from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import until
from testkit.consumers.broker_replay import replayed_table
from testkit.consumers.examples import EXAMPLES, python_example, said, started
from testkit.consumers.published_night import PublishedMessage, published_night
from testkit.installation.home_assistant import HomeAssistant
from testkit.installation.node import Js

pytestmark = [pytest.mark.broker, pytest.mark.full]
TABLE = "tab-shielded"
ROOT = f"pitwarden/v1/silent/{TABLE}"


@pytest.fixture
def night() -> tuple[PublishedMessage, ...]:
    """Return a night in which a 10 is found in the shoe; it is played where no loop runs."""
    return published_night(TABLE, "2", 2, "stray_ten")


@asynccontextmanager
async def heard(port: int, *filters: str) -> AsyncIterator[dict[str, list[bytes]]]:
    """Yield every message below `filters`, by topic."""
    got: dict[str, list[bytes]] = {}

    async def listen(client: aiomqtt.Client) -> None:
        async for message in client.messages:
            assert isinstance(message.payload, bytes)
            got.setdefault(message.topic.value, []).append(message.payload)

    async with aiomqtt.Client("127.0.0.1", port) as client:
        for each in filters:
            await client.subscribe(each, qos=1)
        listening = asyncio.create_task(listen(client), name="listening")
        yield got
        listening.cancel()
        await asyncio.wait({listening})


def irregularities(night: tuple[PublishedMessage, ...]) -> list[dict[str, Any]]:
    outputs = (json.loads(each.payload) for each in night if each.channel.name == "irregularities")
    return [each for each in outputs if each["data"]["kind"] == "irregularity"]


async def test_home_assistant_takes_each_announcement_and_shows_the_table(
    broker: MosquittoBroker, tmp_path: Path, night: tuple[PublishedMessage, ...], home_assistant: HomeAssistant
) -> None:
    devices = {each.topic.split("/")[-2] for each in night if each.channel.name == "deviceStatus"}
    async with (
        replayed_table(TABLE, night, broker.port, tmp_path) as table,
        heard(broker.port, "homeassistant/#") as got,
        started(python_example("home_assistant.py", "127.0.0.1", str(broker.port), "silent"), tmp_path),
    ):
        await table.publish_next()
        await until(lambda: len(got) == 2 + len(devices), pause=0.05)
        announced = {topic: json.loads(payloads[-1]) for topic, payloads in got.items()}
        await table.publish(f"{ROOT}/devices/shoe/status", b"", retain=True)
        await until(lambda: got[f"homeassistant/binary_sensor/pitwarden_silent_{TABLE}_shoe_lost/config"][-1] == b"")
    prefix = f"pitwarden_silent_{TABLE}"
    [found, *_] = irregularities(night)
    duty = {"data": {"kind": "duty"}}
    state = next(json.loads(each.payload) for each in night if b'"granted":true' in each.payload)
    samples: dict[str, list[tuple[dict[str, Any], str]]] = {
        f"homeassistant/binary_sensor/{prefix}_withheld/config": [
            ({"value_json": state}, "OFF"),
            ({"value_json": {**state, "permit": {**state["permit"], "granted": False}}}, "ON"),
        ],
        f"homeassistant/sensor/{prefix}_irregularity/config": [
            ({"value_json": found}, f"TAB-37 open: {found['data']['sentence']}"),
            ({"value_json": duty, "this": {"state": "TAB-37 open"}}, "TAB-37 open"),
        ],
        f"homeassistant/binary_sensor/{prefix}_shoe_lost/config": [
            ({"value_json": {"state": "online"}}, "OFF"),
            ({"value_json": {"state": "lost"}}, "ON"),
        ],
    }
    assert samples.keys() <= announced.keys()
    asked, expected = [], []
    for topic, config in announced.items():
        available = [
            (each["value_template"], {"value_json": {"online": online}})
            for each in config["availability"]
            for online in (True, False)
        ]
        shown = [(config["value_template"], values) for values, _ in samples.get(topic, [])]
        asked.append({"topic": topic, "config": config, "samples": [*available, *shown]})
        expected.append(["online", "offline"] * (len(available) // 2) + [text for _, text in samples.get(topic, [])])
        assert config["state_topic"].startswith(ROOT)
    wrong: dict[str, object] = {"topic": next(iter(announced)), "config": {"name": "no state topic"}, "samples": []}
    *judged, refused = home_assistant.judge([*asked, wrong])
    assert judged == [{"error": "", "shown": shown} for shown in expected]
    assert "state_topic" in refused["error"], "the schema judges nothing"
    assert len({config["unique_id"] for config in announced.values()}) == len(announced)


SETTINGS = """module.exports = {
  flowFile: %s, uiHost: '127.0.0.1', uiPort: %d, credentialSecret: false, httpAdminRoot: false, httpNodeRoot: false,
  editorTheme: { tours: false }, telemetry: { enabled: false, updateNotification: false },
}
"""


@pytest.mark.timeout(180)  # the first time, the packages come from the registry
async def test_the_flow_alerts_in_node_red(
    broker: MosquittoBroker, tmp_path: Path, night: tuple[PublishedMessage, ...], js: Js
) -> None:
    (tmp_path / "flow.json").write_bytes((EXAMPLES / "node_red_flow.json").read_bytes())
    (tmp_path / "settings.js").write_text(SETTINGS % (json.dumps(str(tmp_path / "flow.json")), 0))
    words = js.command(
        "node_modules/node-red/red.js", "--userDir", str(tmp_path), "--settings", str(tmp_path / "settings.js")
    )
    door = {"PITWARDEN_BROKER": "127.0.0.1", "PITWARDEN_PORT": str(broker.port)}
    async with (
        replayed_table(TABLE, night, broker.port, tmp_path) as table,
        heard(broker.port, "alerts/#") as got,
        started(words, tmp_path, door) as node_red,
    ):
        await said(node_red, "Connected to broker")
        await table.publish_next()
        opened = [each for each in irregularities(night) if each["data"]["status"] == "open"]
        await until(lambda: len(got.get(f"alerts/silent/{TABLE}", [])) == len(opened), pause=0.05)
    alerts = [json.loads(payload) for payload in got[f"alerts/silent/{TABLE}"]]
    assert alerts == [
        {"ref": each["data"]["ref"], "text": f"SIMULATED {TABLE}: TAB-37: {each['data']['sentence']}"}
        for each in opened
    ]


async def wait_until(true: Callable[[], bool], seconds: float) -> None:
    """Return once `true()`, at the latest after `seconds`."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await until(true, pause=0.01)


def read_up_to(place: Path) -> object:
    return json.loads(place.read_text())["log"]["at"]


class Receiver:
    """Web server of the house that refuses the first alerts that it is sent, and then takes them."""

    def __init__(self, refusals: int) -> None:
        self.taken: list[dict[str, Any]] = []
        self.left = refusals
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                receiver.left -= 1
                if receiver.left < 0:
                    receiver.taken.append(body)
                self.send_response(204 if receiver.left < 0 else 503)
                self.end_headers()

            def log_message(self, *_words: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/pit"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver(refusals=1)
    serving = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.05}, name="receiver")
    serving.start()
    yield made
    made.server.shutdown()
    serving.join()
    made.server.server_close()


async def test_an_alert_reaches_its_receiver_over_refusals_and_kills(
    broker: MosquittoBroker, tmp_path: Path, night: tuple[PublishedMessage, ...], receiver: Receiver
) -> None:
    place = tmp_path / "place.json"
    words = python_example("webhook_alert.py", "127.0.0.1", str(broker.port), "silent", TABLE, receiver.url, str(place))
    opened = [each for each in irregularities(night) if each["data"]["status"] == "open"]
    row = json.loads(next(each.payload for each in reversed(night) if each.channel.name == "events"))
    at_the_end = {"epoch": row["epoch"], "number": row["tableseq"]}
    async with replayed_table(TABLE, night, broker.port, tmp_path) as table:
        async with started(words, tmp_path) as alert:
            while not place.exists():  # its first item is the first one after it has connected
                await table.publish_next(1)
                await wait_until(place.exists, 0.2)
            await table.publish_next(until=lambda said: b'"status":"open"' in said.payload)
            await said(alert, "answers 503")  # it is killed while its first alert waits
        assert receiver.taken == []
        await table.publish_next()
        async with started(words, tmp_path):
            await until(lambda: read_up_to(place) == at_the_end, pause=0.05)
    assert [each["ref"] for each in receiver.taken] == [each["data"]["ref"] for each in opened]
    assert receiver.taken[0]["text"] == f"SIMULATED {TABLE}: TAB-37: {opened[0]['data']['sentence']}"
    assert {each["simulated"] for each in receiver.taken} == {True}


async def test_the_state_board_shows_each_table_and_marks_what_is_stale(
    broker: MosquittoBroker, tmp_path: Path, night: tuple[PublishedMessage, ...], js: Js
) -> None:
    board = tmp_path / "state_board.mjs"
    board.write_bytes((EXAMPLES / "state_board.mjs").read_bytes())
    (tmp_path / "node_modules").symlink_to(js.folder / "node_modules")
    words = [str(js.folder / "node"), str(board), f"mqtt://127.0.0.1:{broker.port}", "silent"]
    async with (
        replayed_table(TABLE, night, broker.port, tmp_path) as table,
        started(words, tmp_path) as shown,
    ):
        await said(shown, "no table")
        await table.publish_next(until=lambda said: said.channel.name == "state" and b'"granted":true' in said.payload)
        line = await said(shown, "  deal  ")
        assert line.startswith(TABLE)
        assert "triple-attack-blackjack round" in line
        assert "SIMULATED" in line
        await table.publish_next(until=lambda said: said.channel.name == "state" and b"TAB-37" in said.payload)
        assert "TAB-37 holds the table  TAB-37 open" in await said(shown, "  hold  ")
        await table.publish(f"{ROOT}/state", b"not JSON")
        assert f"{ROOT}/state: not a message of the contract" in await said(shown, "not a message")
        await table.publish_next()
        assert "controller offline" in await said(shown, "  STALE  ")
        broker.kill()
        assert "no connection" in await said(shown, "no connection")
        broker.start()
        await said(shown, "controller offline")
