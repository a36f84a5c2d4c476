"""What checks and modules declare to read is what their code reads, and what all scenarios read.

Statically, the keys are the strings of the code: literals, and the beginnings of those that are put together. While the
scenarios play, each accessor is watched.
"""

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import pitwarden.rules
from pitwarden.rules import LogEntry, load_profile
from pitwarden.rules.checks.check_entry import CheckEntry
from pitwarden.rules.checks.context import observe_row
from pitwarden.rules.engine.check_catalogue import CHECKS
from pitwarden.rules.outcomes.announce import DICE_ROWS
from pitwarden.rules.profile.declared_reads import (
    _DECLARED,
    DeclaredRows,
    UndeclaredReadError,
    declarations,
    declared,
)
from pitwarden.rules.profile.library import EXAMPLES, NAMES, default_decks
from pitwarden.rules.queries.choices import STEPS
from pitwarden.rules.queries.decks import STUB_ROWS
from pitwarden_client.events.table import ClockTick
from testkit.tables.played_scenarios import played_scenarios
from testkit.tables.rules_table import RulesTable, setup_of

pytestmark = pytest.mark.timeout(600)  # all scenarios play once, also on a busy machine

RULES = Path(pitwarden.rules.__file__).parent
EXAMPLE = load_profile("three-card-poker", 1, (), EXAMPLES)
PROFILES = [*(load_profile(name, default_decks(name)) for name in NAMES), EXAMPLE]
KEYS = frozenset(rule.key for profile in PROFILES for rule in profile.rules)
CONSTANTS: dict[str, set[str]] = {"STUB_ROWS": {*STUB_ROWS}, "DICE_ROWS": {*DICE_ROWS}, "STEPS": {*STEPS}}
_CHANGES = {"card_change", "card_change_hand"}
GIVE_A_ROW = {"stub_rule": {*STUB_ROWS}, "card_change_rule": _CHANGES, "card_changes": _CHANGES}
"""Queries that return a row: whoever calls one reads the row."""

BY_WAGER = {*DICE_ROWS}
NAMED_BY_WAGERS = {"dice.settled_wrongly", "outcomes.announce", "transitions.dealer_inputs"}
"""What reads the row that a wager at craps names."""

UNPLAYED: dict[str, set[str]] = {
    "dice.settled_wrongly": {"come", "dont_come", "place_win"},
    "engine.step": {"check_failed"},
    "house.log_fault": {"log_fault", "log_forked"},
    "house.unreadable": {"unreadable_seal"},
    "setup.validation": {"positions"},
    "transitions.dealer_inputs": {"dont_come", "dont_pass", "place_lose"},
}
"""Rows that are declared and that no scenario reads, by the name of the check or module. It may only shrink."""


@cache
def functions_of(module: ModuleType) -> dict[str, ast.FunctionDef]:
    """Return the functions of a module by name, without what stands above them: there a check lists its rows."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for one in functions.values():
        one.decorator_list = []
    return functions


def code_of(check: CheckEntry) -> ast.Module:
    """Return the function of a check and those of its module that it calls."""
    module = inspect.getmodule(check.check)
    assert module is not None
    functions, todo, done = functions_of(module), [check.check.__name__], dict[str, ast.FunctionDef]()
    while todo:
        name = todo.pop()
        if name not in done and name in functions:
            done[name] = functions[name]
            todo += [called.id for called, _ in calls_in(functions[name]) if isinstance(called, ast.Name)]
    return ast.Module(body=[*done.values()], type_ignores=[])


def calls_in(node: ast.AST) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    for one in ast.walk(node):
        if isinstance(one, ast.Call):
            yield one.func, one.args
            yield from (
                (arg, one.args[1:]) for arg in one.args[:1] if isinstance(arg, ast.Attribute)
            )  # map(seen.rule, ...)


def keys_in(node: ast.AST) -> set[str]:
    """Keys of rows among the strings of a piece of code; a name may stand for a constant of another module."""
    strings = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    given = [GIVE_A_ROW[name] for name in names & set(GIVE_A_ROW)]
    constants = [CONSTANTS[name] for name in names & set(CONSTANTS)]
    return set(KEYS & set(strings)).union(*given, *constants)


def read_in(node: ast.AST, accessors: tuple[str, ...]) -> set[str]:
    """Keys that are literal arguments of an accessor, and rows of the queries that are called."""
    found = set[str]()
    for called, args in calls_in(node):
        name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
        if name in accessors:
            found |= set().union(*map(keys_in, args))
    return found


def given_in(node: ast.AST) -> set[str]:
    """Keys of the rows that queries give to a piece of code."""
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return set().union(*(GIVE_A_ROW[name] for name in names & set(GIVE_A_ROW)))


def code_of_module(module: str) -> ast.Module:
    """Return a module of the rules without its declaration."""
    tree = ast.parse((RULES / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
    tree.body = [one for one in tree.body if not (isinstance(one, ast.AnnAssign) and ast.unparse(one.target) == "ROWS")]
    return tree


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_a_check_declares_what_its_code_reads(check: CheckEntry) -> None:
    code = code_of(check)
    assert read_in(code, ("rule", "row")) | given_in(code) <= check.known


@pytest.mark.parametrize("module", declarations(), ids=lambda module: module.module)
def test_a_module_declares_what_its_code_reads(module: DeclaredRows) -> None:
    code = code_of_module(module.module)
    assert read_in(code, ("ROWS", "of", "monitored")) | given_in(code) <= {*module.decides, *module.reads}
    acted = read_in(code, ("add_notice", "refuse_input"))
    assert acted <= set(module.decides), "a row under which a module acts is no mere read"
    assert not set(module.decides) & set(module.reads)


@pytest.fixture(scope="module")
def codes() -> dict[str, tuple[set[str], ast.Module]]:
    """Return what each check and module declares, and its code."""
    made = {check.id: (set(check.known), code_of(check)) for check in CHECKS}
    return made | {one.module: ({*one.decides, *one.reads}, code_of_module(one.module)) for one in declarations()}


@pytest.mark.no_cover
def test_nothing_is_declared_that_neither_the_code_nor_a_scenario_reads(
    codes: dict[str, tuple[set[str], ast.Module]],
) -> None:
    in_code = {
        name: keys_in(code) | (BY_WAGER if name in NAMED_BY_WAGERS else set()) for name, (_, code) in codes.items()
    }
    idle = {name: keys - in_code[name] - played_scenarios().reads.get(name, set()) for name, (keys, _) in codes.items()}
    assert {name: keys for name, keys in idle.items() if keys} == {}


@pytest.mark.no_cover
def test_every_declared_row_is_read_by_a_scenario_but_those_listed(
    codes: dict[str, tuple[set[str], ast.Module]],
) -> None:
    reads = played_scenarios().reads
    queried = reads["queries.decks"]
    unread = {name: keys - reads.get(name, set()) - (given_in(code) & queried) for name, (keys, code) in codes.items()}
    assert {name: keys for name, keys in unread.items() if keys} == UNPLAYED


def test_every_module_that_declares_is_known_where_the_coverage_is_made() -> None:
    program = (
        "import pitwarden.rules.engine.coverage\n"
        "from pitwarden.rules.profile.declared_reads import declarations\n"
        "print(*[one.module for one in declarations()])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    files = [file for file in sorted(RULES.rglob("*.py")) if "= declared(" in file.read_text(encoding="utf-8")]
    assert done.stdout.split() == [".".join(file.relative_to(RULES).with_suffix("").parts) for file in files]


def test_no_module_reads_a_row_past_its_accessor() -> None:
    """Only the accessors, the profile itself and the set-up that a table file names read rows by key."""
    found = [
        f"{file.relative_to(RULES)}:{one.lineno}"
        for file in sorted(RULES.rglob("*.py"))
        for one in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(one, ast.Call) and ast.unparse(one.func).endswith(("profile.rule", "monitored.get", "by_key.get"))
    ]
    assert [place.partition(":")[0] for place in found] == [
        "profile/declared_reads.py", "profile/declared_reads.py", "profile/declared_reads.py", "profile/profile.py",
        "setup/requirements.py",
    ]  # fmt: skip


def test_an_undeclared_read_is_refused() -> None:
    table = RulesTable(setup_of("TAB"))
    rows = declared("pitwarden.rules.of_this_test", decides=("recut",))
    try:
        assert rows(table.state, "recut") is rows.monitored(table.state, "recut") is not None
        for read in (rows, rows.monitored):
            with pytest.raises(UndeclaredReadError, match=r"^of_this_test does not declare that it reads 'joker'$"):
                read(table.state, "joker")
        with pytest.raises(UndeclaredReadError, match="of_this_test"):
            rows.of(table.state.setup.profile, "joker")
    finally:
        _DECLARED.pop("of_this_test")
    nothing = observe_row(table.state, table.state, LogEntry("e", 1, 0, 0, "table", ClockTick()))
    listed = next(one for one in CHECKS if one.id == "shuffles.burn_in_mid_round")
    setup = table.state.setup
    due = listed.with_rows(setup.profile, setup.inputs)
    assert due.rule("burn") is due.row("burn") is not None
    for read_row in (due.rule, due.row, nothing.rule, nothing.row):
        with pytest.raises(UndeclaredReadError, match="'joker'"):
            read_row("joker")
