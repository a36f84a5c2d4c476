"""Code that is asked for some kinds of input alone is asked for each kind that it distinguishes."""

import ast
import inspect
import textwrap
from types import ModuleType
from typing import get_args

import pytest

from pitwarden.rules.ledger import inputs
from pitwarden.rules.transitions import input_validation
from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.floor import FloorAct

KINDS = {kind.__name__ for kind in (*get_args(DealerAct), *get_args(FloorAct))}


def distinguished(name: str, module: ModuleType = input_validation) -> set[str]:
    """Return the kinds that the patterns of a function name, and those of the functions that it hands over to."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(getattr(module, name))))
    named = {ast.unparse(node.cls) for node in ast.walk(tree) if isinstance(node, ast.MatchClass)}
    given = [node.value for node in ast.walk(tree) if isinstance(node, ast.YieldFrom)]
    handed = {ast.unparse(one.func) for one in given if isinstance(one, ast.Call)}
    return named.union(*(distinguished(one) for one in handed))


@pytest.mark.parametrize("at", range(len(input_validation.REASONS)))
def test_a_reason_is_asked_for_each_kind_that_it_distinguishes(at: int) -> None:
    ask, kinds = input_validation.REASONS[at]
    if kinds is not None:
        assert {kind.__name__ for kind in kinds} == distinguished(ask.__name__) & KINDS


def test_the_ledger_posts_each_kind_that_it_distinguishes() -> None:
    assert {kind.__name__ for kind in inputs.POSTED} == distinguished("post_input", inputs) | {"FtTenDestroyed"}
