"""What a consumer installs: nothing of the service, and of the cryptography library the check of signatures alone."""

import grimp
import pytest

DISTRIBUTION = ("pitwarden.client", "pitwarden.events", "pitwarden.contract")


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("pitwarden", include_external_packages=True, cache_dir=None)


def ours(module: str) -> bool:
    return any(module == root or module.startswith(f"{root}.") for root in DISTRIBUTION)


def test_the_client_imports_nothing_of_the_service(graph: grimp.ImportGraph) -> None:
    inside = {module for module in graph.modules if ours(module)}
    assert {root for root in DISTRIBUTION if root in inside} == set(DISTRIBUTION)
    edges = {
        f"{module} -> {imported}"
        for module in inside
        for imported in graph.find_modules_directly_imported_by(module)
        if imported.split(".")[0] == "pitwarden" and not ours(imported)
    }
    assert edges == set()


def test_a_consumer_needs_three_libraries(graph: grimp.ImportGraph) -> None:
    outside = {
        imported
        for module in graph.modules
        if ours(module)
        for imported in graph.find_modules_directly_imported_by(module)
        if graph.is_module_squashed(imported)
    }
    standard = {"structlog", "paho", "prometheus_client", "serial", "usb", "ctypes", "time"}
    assert {"aiomqtt", "nacl", "pydantic"} <= outside
    assert not outside & standard
