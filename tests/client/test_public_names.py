"""What a consumer imports: `pitwarden_client` alone names everything that its own functions take and return."""

import inspect
import re
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest

import pitwarden_client
from pitwarden_client import public

ROOT = Path(__file__).parents[2]
PUBLIC = {name: getattr(pitwarden_client, name) for name in pitwarden_client.__all__}
# The fields of a message model are models of the same package, which the contract's page names one by one.
MODELS = {name for name, named in PUBLIC.items() if named.__module__.startswith("pitwarden_client.events.")}


def leaves(hint: object) -> Iterator[object]:
    """Yield the types that an annotation is made of."""
    parts = hint if isinstance(hint, list) else typing.get_args(hint)
    if not parts:
        yield hint
    for part in parts:
        yield from leaves(part)


def annotated(named: object) -> Iterator[object]:
    """Yield what has annotations in a public name: itself, and of a class its public methods and properties."""
    if inspect.isclass(named) or inspect.isfunction(named):
        yield named
    for name, member in vars(named).items() if inspect.isclass(named) else ():
        if name.startswith("_") and name != "__init__":
            continue
        if inspect.isfunction(member):
            yield member
        elif isinstance(member, property):
            yield member.fget


def test_the_lazy_names_are_those_of_the_module_that_loads_them() -> None:
    assert pitwarden_client.__all__ == public.__all__
    assert all(PUBLIC[name] is getattr(public, name) for name in public.__all__)


@pytest.mark.parametrize("name", sorted(set(PUBLIC) - MODELS))
def test_every_type_in_a_public_signature_is_public(name: str) -> None:
    private = {
        leaf.__name__
        for one in annotated(PUBLIC[name])
        for field, hint in typing.get_type_hints(one).items()
        if not field.startswith("_")
        for leaf in leaves(hint)
        if inspect.isclass(leaf) and leaf.__module__.startswith("pitwarden_client") and leaf not in PUBLIC.values()
    }
    assert private == set()


def test_the_documents_import_public_names_and_message_models_alone() -> None:
    pages = "".join(file.read_text() for file in (ROOT / "docs").rglob("*.md")) + (ROOT / "README.md").read_text()
    imports = re.findall(r"^from (pitwarden_client[\w.]*) import (.+)$", pages, re.MULTILINE)
    assert imports
    for module, names in imports:
        assert module == "pitwarden_client" or module.startswith("pitwarden_client.events.")
        assert module != "pitwarden_client" or set(names.split(", ")) <= set(PUBLIC)
