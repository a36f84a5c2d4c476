"""Generated pages have an entry for each thing in the code, and no entry for anything else."""

import ast
import dataclasses
import re
from collections.abc import Iterator, Mapping
from typing import Final, get_args

import pytest
from pydantic import BaseModel

from _generate import commands, contract, files, keypad, operations, rules, scan, scenario
from _generate.markdown import anchor_name
from _generate.messages import FILE, messages
from pitwarden.cli.main import find_commands
from pitwarden.config.models import TableFile
from pitwarden.config.problems import nested_models
from pitwarden.metrics.families import ALL
from pitwarden.rules.profile.clauses import load_clauses
from pitwarden.scenario import parse_scenario, play_scenario
from pitwarden.scenario.macros import MACROS
from pitwarden_client.contract.channels import CHANNELS
from pitwarden_client.contract.schemas import components
from pitwarden_client.events.alarms import ALARMS, remedy_of
from pitwarden_client.events.base import Record
from pitwarden_client.events.keypad import CODES, KEYS
from pitwarden_client.events.table import LogFault
from pitwarden_drivers.capture.format import CaptureHeader, Op
from pitwarden_drivers.mapping.map_file import MapFile
from pitwarden_drivers.scanner.codes_file import CodesFile

REPORTERS: Final = frozenset({"fault", "add", "_on_refused", "_on_faults"})
"""Methods by which a half reports a fault code."""

CODE: Final = re.compile(r"[a-z]+(_[a-z]+)+")
HALVES: Final = frozenset({"field", "judge"})


def models_below(model: type[BaseModel]) -> set[type[BaseModel]]:
    """Return a model and every model in its fields."""
    found = {model}
    for field in model.model_fields.values():
        for inner in nested_models(field.annotation):
            found |= models_below(inner)
    return found


@pytest.mark.parametrize(
    ("file", "sections", "top"),
    [
        ("table_file", files.TABLE_FILE, TableFile),
        ("map_file", files.MAP_FILE, MapFile),
        ("codes_file", files.CODES_FILE, CodesFile),
    ],
)
def test_each_key_of_a_file_is_explained(
    file: str, sections: Mapping[str, type[BaseModel]], top: type[BaseModel]
) -> None:
    explained = {name: set(keys) - {"section"} for name, keys in files.words()[file].items()}
    assert explained == {name: set(model.model_fields) for name, model in sections.items()}
    assert set(sections.values()) | {top} == models_below(top)


def test_the_table_file_has_a_section_for_each_key() -> None:
    assert set(files.TABLE_FILE) == set(TableFile.model_fields)


def test_each_key_and_step_of_a_capture_is_explained() -> None:
    assert set(files.words()["capture"]["Header"]) - {"section"} == {
        one.name for one in dataclasses.fields(CaptureHeader)
    }
    page = files.capture_format()
    assert [op for op in get_args(Op) if f"| `{op}` |" not in page] == []


def test_each_command_has_an_entry() -> None:
    page = commands.commands_page()
    entries = re.findall(r"^### pitwarden (\S+)$", page, re.MULTILINE)
    assert entries == [one.name for one in find_commands()]


def test_each_event_topic_and_act_has_an_entry() -> None:
    events = set(re.findall(r"^\(event-(\S+)\)=$", contract.events(), re.MULTILINE))
    models = (*contract.log_models(), *contract.output_models())
    assert events == {anchor_name(contract.kind_name(one)) for one in models}
    assert all(f"/{one.address}`" in contract.topics() for one in CHANNELS)
    acts = contract.acts()
    assert [one for one in contract.act_models() if f"\n### {contract.kind_name(one)}\n" not in acts] == []


@pytest.mark.parametrize("model", [*contract.log_models(), *contract.output_models()], ids=contract.kind_name)
def test_the_example_of_an_event_is_valid(model: type[Record]) -> None:
    schemas, _ = components(contract.ROOT)
    made = contract.event_example(model, schemas)
    assert isinstance(made, dict)
    model.model_validate(made, strict=False)


def test_the_contract_page_names_every_schema() -> None:
    schemas, _ = components(contract.ROOT)
    page = contract.asyncapi()
    assert [name for name in schemas if f"- `{name}`\n" not in page] == []


def test_each_metric_has_an_entry() -> None:
    page = operations.metrics()
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == sorted(one.name for one in ALL)


def test_each_log_event_has_an_entry() -> None:
    page = operations.log_events()
    found = {one.event for one in scan.log_lines()}
    assert {"irregularity", "journal damaged"} <= found
    assert [event for event in found if f"| `{event}` |" not in page] == []


def test_each_error_says_what_happened() -> None:
    page = operations.errors()
    assert scan.error_classes()
    for _, node in scan.error_classes():
        assert f"\n### {node.name}\n" in page
        assert ast.get_docstring(node)


def test_each_clause_and_profile_has_an_entry() -> None:
    page = rules.clauses_page()
    assert [one.ident for one in load_clauses() if f"\n### {one.ident} " not in page] == []
    assert len(rules.profile_pages()) == len(rules.profiles())


def test_each_key_and_code_is_on_the_card() -> None:
    page = keypad.keypad()
    assert [key for key in KEYS if f"## Key: {key.replace('_', ' ')}\n" not in page] == []
    assert page.count("\n| ") - page.count("\n| digits |") == len(CODES)
    assert set(keypad.BARE_KEYS) == set(KEYS) - {one.key for one in CODES}


def test_each_key_and_macro_of_a_scenario_is_explained() -> None:
    assert set(scenario.HEADER) == scenario.header_keys()
    assert set(scenario.MACRO_WORDS) == set(MACROS)


def test_the_example_of_a_scenario_agrees() -> None:
    assert play_scenario(parse_scenario(scenario.EXAMPLE, "example")).agrees


def reported_codes() -> Iterator[str]:
    """Yield every fault code that a half may report in its status."""
    for module in scan.modules():
        if module.room not in HALVES:
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in REPORTERS:
                given = node.args[:1] if module.room == "judge" else node.args[-1:]
                for word in (one for argument in given for one in ast.walk(argument)):
                    if isinstance(word, ast.Constant) and isinstance(word.value, str) and CODE.fullmatch(word.value):
                        yield word.value


def test_each_fault_code_has_an_alarm() -> None:
    known = {one.code for one in ALARMS}
    reported = set(reported_codes())
    assert {"acl_denied", "journal_damaged", "log_forked", "rules_diverged"} <= reported
    assert reported - known == set()
    assert set(get_args(LogFault.model_fields["fault"].annotation)) - known == set()


def test_no_alarm_is_left_over() -> None:
    text = "\n".join(ast.unparse(module.tree) for module in scan.modules() if not module.name.endswith(".alarms"))
    codes = [one.code for one in ALARMS if one.places != ("exit code",)]
    assert [code for code in codes if code not in text] == []
    assert len(codes) == len(set(codes))


def test_a_fault_with_a_detail_has_the_remedy_of_its_code() -> None:
    assert remedy_of("journal_damaged: the old one is kept") == remedy_of("journal_damaged")
    assert remedy_of("journal_damaged")
    assert remedy_of("unheard_of") == ""


def test_the_list_of_messages_is_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == messages(), "run: PYTHONPATH=docs python -m _generate.messages"
