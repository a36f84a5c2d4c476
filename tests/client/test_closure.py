"""What a consumer installs: nothing of the service, and of the cryptography library the check of signatures alone."""

import sys
import tomllib
from pathlib import Path

import grimp
import pytest

DISTRIBUTION = "pitwarden_client"
SERVICE = ("pitwarden", "pitwarden_drivers", "pitwarden_simulators", "pitwarden_tools")


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(DISTRIBUTION, *SERVICE, include_external_packages=True, cache_dir=None)


def ours(module: str) -> bool:
    return module.partition(".")[0] == DISTRIBUTION


def test_the_client_imports_nothing_of_the_service(graph: grimp.ImportGraph) -> None:
    inside = {module for module in graph.modules if ours(module)}
    assert {f"{DISTRIBUTION}.{part}" for part in ("chain", "contract", "events", "mqtt", "verification")} <= inside
    edges = {
        f"{module} -> {imported}"
        for module in inside
        for imported in graph.find_modules_directly_imported_by(module)
        if imported.partition(".")[0] in SERVICE
    }
    assert edges == set()


def dependencies() -> dict[str, str]:
    """Return the distribution's requirements: the name of each library, and the allowed versions."""
    declared = tomllib.loads((Path(__file__).parents[2] / "client" / "pyproject.toml").read_text())
    return {each.partition(">=")[0]: each.partition(">=")[2] for each in declared["project"]["dependencies"]}


def test_each_library_has_a_lower_bound_and_none_is_pinned() -> None:
    assert all(allowed and "=" not in allowed for allowed in dependencies().values())


def test_a_consumer_needs_three_libraries_and_they_are_declared(graph: grimp.ImportGraph) -> None:
    outside = {
        imported
        for module in graph.modules
        if ours(module)
        for imported in graph.find_modules_directly_imported_by(module)
        if graph.is_module_squashed(imported) and imported.split(".")[0] not in sys.stdlib_module_names
    }
    assert outside == {"aiomqtt", "nacl", "pydantic"}
    assert set(dependencies()) == {"aiomqtt", "pynacl", "pydantic"}
