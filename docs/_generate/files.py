"""Pages of the files that people write: table file, map file, codes file, captures."""

import dataclasses
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, get_args

from pydantic import BaseModel

from _generate.markdown import anchor, code, page, table
from _generate.schema import fields
from pitwarden.config.models import (
    AttestationSection,
    BrokerSection,
    DeviceSection,
    InputsSection,
    JudgeGroupSection,
    JudgeSection,
    MetricsSection,
    PaySection,
    RulesSection,
    StorageSection,
    TableFile,
    TableSection,
)
from pitwarden_drivers.capture.format import TITLE, CaptureHeader, Op
from pitwarden_drivers.mapping.link_rules import AckRule, FrameCheckRule, FramingRule, PollRule
from pitwarden_drivers.mapping.map_file import (
    Checksum,
    CommandRule,
    EventRule,
    HeartbeatRule,
    IdentifyRule,
    MapFile,
    TestLine,
)
from pitwarden_drivers.mapping.meaning import FIELDS
from pitwarden_drivers.scanner.codes_file import CodesFile, TestCode

WORDS: Final = Path(__file__).with_name("keys.toml")
CONFIG: Final = Path(__file__).parents[2] / "config"

TABLE_FILE: Final[Mapping[str, type[BaseModel]]] = {
    "table": TableSection, "broker": BrokerSection, "storage": StorageSection, "judge": JudgeSection,
    "judge_group": JudgeGroupSection,
    "devices": DeviceSection, "inputs": InputsSection, "metrics": MetricsSection, "rules": RulesSection,
    "attestations": AttestationSection, "pay": PaySection,
}  # fmt: skip
"""Sections of the table file by their key, in the order of the page."""

MAP_FILE: Final[Mapping[str, type[BaseModel]]] = {
    "MapFile": MapFile, "Identify": IdentifyRule, "Checksum": Checksum, "Framing": FramingRule,
    "FrameCheck": FrameCheckRule, "Ack": AckRule, "Poll": PollRule, "Heartbeat": HeartbeatRule, "Event": EventRule,
    "Command": CommandRule, "Trial": TestLine,
}  # fmt: skip
CODES_FILE: Final[Mapping[str, type[BaseModel]]] = {"Codes": CodesFile, "Trial": TestCode}

_STEPS: Final[Mapping[str, str]] = {
    "open": "The port opened; boot and counter up to which the log had stored the device's events.",
    "<": "Bytes that the device sent, hexadecimal.",
    ">": "Bytes that the host sent, hexadecimal.",
    "tick": "The dialogue was woken.",
    "commit": "The log stored events up to this boot and counter.",
    "command": "A command was given to the device: its request id and its name.",
}


def words() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """Return the meaning of each key, by file and section."""
    return tomllib.loads(WORDS.read_text(encoding="utf-8"))


def table_file() -> str:
    """Return the page of the table file."""
    schema = TableFile.model_json_schema()
    parts = [
        (
            "The table file is the TOML configuration of one table. An unknown key, a wrong type or a "
            "value out of range is "
            "rejected, by `pitwarden check-config` and at every start alike. Values are not converted: a number in "
            "quotation marks is not a number. Nothing is read from the environment."
        ),
        f"Required sections: {', '.join(code(str(name)) for name in schema['required'])}.",
    ]
    for name, model in TABLE_FILE.items():
        parts.append(anchor(f"table-file-{name}"))
        parts.append(f"## `[{name}]`")
        parts += _section(words()["table_file"][name], model)
    parts += ["## Example", f"```toml\n{example_table_file()}```"]
    return page("Table file", *parts)


def example_table_file() -> str:
    """Return the shipped example of the simplest table that has devices."""
    return (CONFIG / "triple-attack-blackjack.toml").read_text(encoding="utf-8")


def map_file() -> str:
    """Return the page of the map file."""
    parts = [
        (
            "A map file describes a device that sends lines of printable ASCII, or frames: which messages it sends, "
            "what they mean, and how commands are written. Patterns are regular expressions in the RE2 syntax. "
            "`pitwarden map test FILE` checks a file and runs its test block."
        ),
    ]
    for name, model in MAP_FILE.items():
        parts.append(f"## {words()['map_file'][name]['section'].rstrip('.')}")
        parts += _section(words()["map_file"][name], model)[1:]
    kinds = ((code(kind), ", ".join(code(field) for field in names) or "none") for kind, names in FIELDS.items())
    parts += ["## Events and their fields", table(("kind", "fields"), kinds)]
    parts += ["## Example", f"```toml\n{(CONFIG / 'maps' / 'counting-shuffler.toml').read_text(encoding='utf-8')}```"]
    return page("Map file", *parts)


def codes_file() -> str:
    """Return the page of the codes file."""
    parts = [
        (
            "A codes file says which bar codes are which cards, for a dealing shoe with a bar-code "
            "scanner. `pitwarden map "
            "test FILE` checks it and runs its test block."
        ),
    ]
    for name, model in CODES_FILE.items():
        parts.append(f"## {words()['codes_file'][name]['section'].rstrip('.')}")
        parts += _section(words()["codes_file"][name], model)[1:]
    parts += ["## Example", f"```toml\n{(CONFIG / 'codes' / 'coded-shoe.toml').read_text(encoding='utf-8')}```"]
    return page("Codes file", *parts)


def capture_format() -> str:
    """Return the page of the capture format."""
    known = words()["capture"]["Header"]
    header = ((code(one.name), known[one.name]) for one in dataclasses.fields(CaptureHeader))
    steps = ((code(op), _STEPS[op]) for op in get_args(Op))
    return page(
        "Capture format",
        "A capture is the recorded dialogue with one device. Its first line is "
        f"`{TITLE}`; header lines follow, then one step of the dialogue on each line: milliseconds since the first "
        "opening, the step, its arguments. The bytes of a card-reading device are cards: treat such a capture as a "
        "secret.",
        "## Header",
        table(("key", "meaning"), header),
        "## Steps",
        table(("step", "meaning"), steps),
    )


def _section(known: Mapping[str, str], model: type[BaseModel]) -> list[str]:
    schema = model.model_json_schema(ref_template="#/$defs/{model}")
    rows = [
        (code(one.name), one.kind.removesuffix(" or null"), _default(one.default), known[one.name])
        for one in fields(schema, schema.get("$defs", {}))
    ]
    return [known["section"], table(("key", "type and range", "default", "meaning"), rows)]


def _default(value: str | None) -> str:
    """Return a default in words: TOML has no null, such a key is left out."""
    if value is None:
        return "required"
    return "not set" if value == "null" else code(value)
