"""The consumers' guide: its messages are valid, its programs run. Running this file captures the messages again."""

import asyncio
import json
import re
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pitwarden_client.contract.schemas import plain_schema, schema_of
from pitwarden_client.events.codec import decode
from pitwarden_client.events.device import ShoeCard
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.outputs import Reveal
from pitwarden_client.verification.commitment import verify_reveal
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.consumers.broker_replay import replayed_table
from testkit.consumers.published_night import PublishedMessage, published_night

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = sorted((DOCS / "how-to" / "consumer").glob("*.md"))
EXAMPLE = re.compile(r"(<!-- example (\w+) -->\n)(.*?)(<!-- end of example -->)", re.DOTALL)
PROGRAM = re.compile(r"^cat >\w+\.py <<'END'\n(.*?)^END$", re.DOTALL | re.MULTILINE)
JSON = re.compile(r"```json\n(.*?)\n```", re.DOTALL)
Messages = tuple[PublishedMessage, ...]


def night_of_the_guide() -> Messages:
    return published_night("tab-shielded", "2", 2, "stray_ten")


def examples() -> dict[str, Any]:
    """Return the messages in the guide, by the name of their schema."""
    found = [match for page in GUIDE for match in EXAMPLE.findall(page.read_text())]
    return {name: json.loads(JSON.findall(text)[0]) for _, name, text, _ in found}


@pytest.fixture
def messages() -> Messages:
    return published_night("cb-auto", "1", 3, "shoe_jam")


def test_every_message_in_the_guide_is_valid_by_the_contract() -> None:
    found = examples()
    assert len(found) == sum(len(JSON.findall(page.read_text())) for page in GUIDE)
    for name, message in found.items():
        schema = plain_schema(schema_of(name))
        assert isinstance(schema, dict)
        Draft202012Validator(schema).validate(message)


def test_the_reveal_in_the_guide_proves_the_card_in_the_guide() -> None:
    row = decode(LogEvent, json.dumps(examples()["LogEvent"]).encode())
    output = decode(OutputEvent, json.dumps(examples()["OutputEvent"]).encode())
    assert isinstance(row.data, ShoeCard)
    assert isinstance(output.data, Reveal)
    assert verify_reveal(row.source, output.data, row.data.face.commitment)


async def run(program: str, port: int, folder: Path) -> str:
    """Return a program of the guide, with the address of this test's broker and table."""
    here = program.replace('"casino", "table-1"', '"silent", "cb-auto"')
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", here, str(port), cwd=folder,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode()


@pytest.mark.broker
async def test_the_programs_of_the_guide_run(broker: MosquittoBroker, tmp_path: Path, messages: Messages) -> None:
    [printer] = PROGRAM.findall((DOCS / "tutorials" / "first-consumer.md").read_text())
    [historian] = PROGRAM.findall((DOCS / "how-to" / "consumer" / "write-to-a-database.md").read_text())
    async with replayed_table("cb-auto", messages, broker.port, tmp_path) as table:
        await table.publish_next(len(table.left) // 2)
        await run(historian, broker.port, tmp_path)
        await table.publish_next()
        printed, _ = await asyncio.gather(run(printer, broker.port, tmp_path), run(historian, broker.port, tmp_path))
    assert [line.split(" ", 2)[:2] for line in printed.splitlines()] == [["open", "CB-38"], ["cleared", "CB-38"]]
    kept = [body for (body,) in sqlite3.connect(tmp_path / "history.sqlite").execute("select body from item")]
    assert [body for body in kept if b'"outputseq"' not in body] == table.rows
    assert [body for body in kept if b'"outputseq"' in body] == table.outputs


def capture() -> Iterator[tuple[str, object]]:
    """One message of each kind, out of a night."""
    said = night_of_the_guide()

    def first(channel: str, wanted: Callable[[bytes], bool] = lambda _payload: True) -> Any:  # noqa: ANN401  JSON
        return json.loads(next(each.payload for each in said if each.channel.name == channel and wanted(each.payload)))

    reveal = first("reveals", lambda payload: b'"slot":"box' in payload)
    row = first("events", lambda payload: f'"tableseq":{reveal["data"]["event"]},'.encode() in payload)
    yield "LogEvent", row
    yield "OutputEvent", reveal
    yield "Irregularity", first("irregularities", lambda payload: b'"kind":"irregularity"' in payload)["data"]
    yield "Outcomes", first("reveals", lambda payload: b'"first_attack"' in payload)["data"]
    yield "TableState", first("state", lambda payload: b"TAB-37" in payload)
    yield "PartStatus", first("status")
    wanted = first("inputs", lambda payload: b"ft.ten_destroyed" in payload)
    yield "TerminalInput", wanted
    yield "InputReply", first("replies", lambda payload: wanted["id"].encode() in payload)
    yield "ReplayRequest", {
        "id": "q1", "of": "log", "after": {"epoch": row["epoch"], "number": row["tableseq"] - 1},
        "hash": row["prevhash"], "limit": 500,
    }  # fmt: skip
    yield "ReplayReply", {"id": "q1", "of": "log", "sent": 500, "more": True, "refused": "", "reason": ""}


if __name__ == "__main__":
    made = {name: json.dumps(message, indent=1) for name, message in capture()}
    for page in GUIDE:
        page.write_text(EXAMPLE.sub(lambda at: f"{at[1]}```json\n{made[at[2]]}\n```\n{at[4]}", page.read_text()))
