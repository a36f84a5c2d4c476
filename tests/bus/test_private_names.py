"""Every private name of aiomqtt and paho that the service uses: in one file, with a reason, and as it was."""

import ast
import hashlib
import inspect
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import aiomqtt
import pytest

from pitwarden.bus import paho_loop as engine
from pitwarden.bus.paho_loop import AIOMQTT_PRIVATE_NAMES, PAHO_PRIVATE_NAMES
from pitwarden_client.mqtt import connection

ENGINE = Path(engine.__file__)
PACKAGES = (ENGINE.parents[1], Path(connection.__file__).parents[1])
TREES = {path: ast.parse(path.read_text()) for package in PACKAGES for path in package.rglob("*.py")}
LIBRARIES = ("aiomqtt", "paho")

SOURCES = {
    "aiomqtt.client:Client.__init__": "14860cbfeb71819c",
    "aiomqtt.client:Client._client_connect": "b0deddcf123c4811",
    "aiomqtt.client:Client._misc_loop": "606cc9ddc6afc5fb",
    "aiomqtt.client:Client._on_connect": "7864d8930bfb1a29",
    "aiomqtt.client:Client._on_disconnect": "06c47e2b6a3c8b6b",
    "aiomqtt.client:Client._on_message": "f71c95a83129f9e3",
    "aiomqtt.client:Client._on_publish": "fa45dc8b26f809c2",
    "aiomqtt.client:Client._on_subscribe": "b4e9a7d5dca85485",
    "aiomqtt.client:Client._on_socket_open": "10263ff51d823e74",
    "aiomqtt.client:Client._on_socket_close": "6511966629d9ccd0",
    "aiomqtt.client:Client._on_socket_register_write": "ec93d15d4118247e",
    "aiomqtt.client:Client._on_socket_unregister_write": "195827fbdc620725",
    "paho.mqtt.client:Client._sock_close": "638e9c4e5a7f32ae",
    "paho.mqtt._packet:": "144a142f2e183b71",
    "paho.mqtt.properties:Properties": "30a3d22d09fde4b1",
}
"""What the engine replaces, calls or leaves beside its own, with the digest of its source."""


def private_attributes(tree: ast.AST) -> Iterator[ast.Attribute]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            yield node


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)


def library_names() -> set[str]:
    plain = aiomqtt.Client("127.0.0.1")  # it wants a running loop, which whoever calls this has
    return {name for name in (*dir(plain), *dir(plain._client)) if name.startswith("_") and name[1] != "_"}  # noqa: SLF001


async def test_the_table_lists_what_the_engine_uses_and_nothing_else() -> None:
    tree = TREES[ENGINE]
    used = {node.attr for node in private_attributes(tree)}
    used |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    modules = {each.rpartition(".")[2] for each in imports(tree) if each.startswith(LIBRARIES)}
    private = (used & library_names()) | {name for name in modules if name.startswith("_")}
    assert private == {*AIOMQTT_PRIVATE_NAMES, *PAHO_PRIVATE_NAMES}


async def test_no_other_file_uses_a_private_name_of_the_libraries() -> None:
    names = library_names()
    knowing = 0
    for path, tree in TREES.items():
        imported = {each for each in imports(tree) if each.split(".")[0] in LIBRARIES}
        if not imported or path == ENGINE:
            continue
        knowing += 1
        assert not [each for each in imported if any(part.startswith("_") for part in each.split("."))]
        bases = [base for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for base in node.bases]
        derived = any(not ast.unparse(base).startswith("asyncio.") for base in bases)
        for node in private_attributes(tree):
            on_ourselves = isinstance(node.value, ast.Name) and node.value.id == "self"
            assert on_ourselves, f"{path.name}:{node.lineno}: {node.attr}"
            assert not (derived and node.attr in names), f"{path.name}:{node.lineno}: {node.attr}"
    assert knowing == 2


def test_the_libraries_are_the_pinned_ones() -> None:
    assert (version("aiomqtt"), version("paho-mqtt")) == ("2.5.1", "2.2.0")


@pytest.mark.parametrize("name", SOURCES)
def test_the_library_is_as_it_was_when_the_engine_was_written_against_it(name: str) -> None:
    """Read what changed, adapt bus/paho_loop.py where it has to be, and only then write the new digest here."""
    module, _, path = name.partition(":")
    source = import_module(module)
    for each in path.split(".") if path else ():
        source = getattr(source, each)
    assert hashlib.sha256(inspect.getsource(source).encode()).hexdigest()[:16] == SOURCES[name]
