"""Generators, compilers, validators and an SDK of other makers take the contract and the messages as they are."""

import asyncio
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pitwarden_client.contract import asyncapi
from pitwarden_client.contract.schemas import components, plain_schema, schema_of
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.consumers.broker_replay import replayed_table
from testkit.consumers.published_night import PublishedMessage, published_night
from testkit.installation.node import Js

NIGHTS = {
    "cb-auto": ("cb-auto", "1", 8, "shoe_jam"),
    "tab-shielded": ("tab-shielded", "2", 8, "stray_ten", "reader_failure"),
    "da-shielded": ("da-shielded", "3", 8),
    "in-between": ("in-between", "4", 8),
    "switch-hands": ("switch-hands", "5", 8),
}
"""A night of each game."""


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    file = tmp_path / "contract.json"
    file.write_text(json.dumps(asyncapi.asyncapi_document()))
    return file


@pytest.fixture(params=NIGHTS)
def night(request: pytest.FixtureRequest) -> tuple[PublishedMessage, ...]:
    """Played where no loop runs."""
    return published_night(*NIGHTS[request.param])


def ran(words: list[str], folder: Path, **environment: str) -> str:
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]
    return done.stdout


def every_title(node: object) -> list[str]:
    if isinstance(node, list):
        return [title for inner in node for title in every_title(inner)]
    if not isinstance(node, dict):
        return []
    here = [node["title"]] if isinstance(node.get("title"), str) else []
    return here + [title for inner in node.values() for title in every_title(inner)]


def test_no_two_types_have_one_title() -> None:
    schemas: Any = asyncapi.asyncapi_document()["components"]
    titles = Counter(every_title(schemas["schemas"]))
    assert {title: count for title, count in titles.items() if count > 1} == {}
    assert titles.keys() > {*schemas["schemas"], "ShoeFaultFault", "IrregularityVerdictsItem", "KpBoxesAct"}


READ = """
import type { LogEvent } from './types/LogEvent'
import type { ShoeCard } from './types/ShoeCard'

export function commitment(row: LogEvent): string | undefined {
  return row.data.kind === 'shoe.card' ? (row.data as ShoeCard).face.commitment : undefined
}
"""


@pytest.mark.full
@pytest.mark.timeout(180)  # the first time, the packages come from the registry
def test_typescript_is_generated_and_compiled(tmp_path: Path, js: Js, contract: Path) -> None:
    made = ran(js.command("generate.mjs", "typescript", str(contract), str(tmp_path / "types")), tmp_path)
    count = len(list((tmp_path / "types").glob("*.ts")))
    assert made == f"{count} types, {count} names, 0 nameless\n"
    (tmp_path / "read.ts").write_text(READ)
    compiler = str(Path("node_modules", "typescript", "bin", "tsc"))
    options = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler"]
    ran(js.command(compiler, *options, "read.ts", *map(str, (tmp_path / "types").glob("*.ts"))), tmp_path)


@pytest.mark.full
@pytest.mark.timeout(180)
def test_go_is_generated_and_vetted_where_its_compiler_is(tmp_path: Path, js: Js, contract: Path) -> None:
    made = ran(js.command("generate.mjs", "go", str(contract), str(tmp_path / "go")), tmp_path)
    count = len(list((tmp_path / "go").glob("*.go")))
    assert made == f"{count} types, {count} names, 0 nameless\n"
    kinds = (tmp_path / "go" / "shoe_fault_fault.go").read_text()
    assert all(f'"{fault}"' in kinds for fault in ("jam", "stopped", "short")), kinds
    compiler = shutil.which("go")
    if compiler is not None:
        (tmp_path / "go" / "go.mod").write_text("module contract\n\ngo 1.19\n")
        ran([compiler, "vet", "./..."], tmp_path / "go", GOCACHE=str(tmp_path / "cache"), GOFLAGS="-mod=mod")


def imported(file: Path) -> ModuleType:
    found = importlib.util.spec_from_file_location("generated_contract", file)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module  # its annotations are resolved by the module's name
    found.loader.exec_module(module)
    return module


@pytest.fixture
def generated(tmp_path: Path) -> Iterator[ModuleType]:
    """Yield the contract's schemas as Python by datamodel-code-generator, imported."""
    schemas, _ = components("#/$defs/")
    (tmp_path / "schemas.json").write_text(json.dumps({"$defs": plain_schema(dict(schemas))}))
    generator = str(Path(sys.executable).with_name("datamodel-codegen"))
    ran(
        [
            generator, "--input", "schemas.json", "--input-file-type", "jsonschema", "--output", "generated.py",
            "--output-model-type", "pydantic_v2.BaseModel", "--target-python-version", "3.11", "--use-annotated",
            "--formatters", "builtin",
        ],
        tmp_path,
    )  # fmt: skip
    yield imported(tmp_path / "generated.py")
    sys.modules.pop("generated_contract")


@pytest.mark.full
def test_python_is_generated_and_reads_a_night(generated: ModuleType) -> None:
    read: Counter[str] = Counter()
    for said in published_night(*NIGHTS["tab-shielded"]):
        model = getattr(generated, said.channel.message.__name__)
        message = model.model_validate_json(said.payload)
        data = getattr(message, "data", message)
        assert not type(data).__name__.startswith("Further"), said.payload
        read[type(data).__name__] += 1
    assert read.keys() > {"ShoeCard", "InputLogged", "Reveal", "Irregularity", "TableState", "PartStatus", "LogHead"}


@pytest.mark.full
@pytest.mark.timeout(180)
def test_a_whole_night_of_each_game_is_valid_by_ajv_and_jsonschema(
    tmp_path: Path, js: Js, contract: Path, night: tuple[PublishedMessage, ...]
) -> None:
    _, names = components("#/$defs/")
    said = [(names[each.channel.message.__name__], each.payload) for each in night if each.payload]
    lines = [b'["' + name.encode() + b'",' + payload + b"]\n" for name, payload in said]
    (tmp_path / "night.jsonl").write_bytes(b"".join(lines))
    judged = ran(js.command("judge_messages.mjs", str(contract), str(tmp_path / "night.jsonl")), tmp_path)
    assert judged == f"{len(said)} messages, 0 failures\n"
    assert len(said) > 500
    validators: dict[str, Any] = {}
    for name, payload in said:
        if name not in validators:
            validators[name] = Draft202012Validator(plain_schema(schema_of(name)))  # type: ignore[arg-type]  # an object
        found = next(validators[name].iter_errors(json.loads(payload)), None)
        assert found is None, f"{name}: {found}"


@pytest.mark.full
def test_ajv_finds_a_message_that_is_not_valid(tmp_path: Path, js: Js, contract: Path) -> None:
    (tmp_path / "one.jsonl").write_text('["Position",{"epoch":"a b","number":1}]\n')
    words = js.command("judge_messages.mjs", str(contract), str(tmp_path / "one.jsonl"))
    judged = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (judged.returncode, judged.stdout) == (1, "1 messages, 1 failures\n")
    assert "Position" in judged.stderr


@pytest.mark.broker
@pytest.mark.full
@pytest.mark.timeout(180)
@pytest.mark.parametrize("night", ["cb-auto"], indirect=True)
async def test_the_cloudevents_sdk_takes_every_row_and_output(
    broker: MosquittoBroker, tmp_path: Path, js: Js, night: tuple[PublishedMessage, ...]
) -> None:
    async with replayed_table("cb-auto", night, broker.port, tmp_path) as table:
        words = js.command("cloudevents.mjs", f"mqtt://127.0.0.1:{broker.port}", table.topics.root)
        sdk = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
        assert sdk.stdout is not None
        assert await sdk.stdout.readline() == b"ready\n"
        await table.publish_next()
        counted = json.loads(await sdk.stdout.read())
        assert await sdk.wait() == 0
    channels = Counter(each.channel.address.split("/")[0] for each in night)
    expected = {name: channels[name] for name in ("events", "irregularities", "reveals")}
    assert counted["taken"] == expected
    assert not expected.keys() & counted["refused"].keys()
    assert counted["refused"].keys() >= {"state", "status", "head"}, "what is no CloudEvent does not say it is one"
