"""Reading of the code as syntax trees: its modules, its log lines and its error classes."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

import pitwarden
import pitwarden_client
import pitwarden_drivers

PACKAGES: Final = (pitwarden, pitwarden_client, pitwarden_drivers)
LEVELS: Final = ("debug", "info", "warning", "error", "critical", "exception")


@dataclass(frozen=True, slots=True)
class Module:
    """One module of a distribution that runs on site: dotted name, path in the tree, text and syntax tree."""

    name: str
    path: str
    text: str
    tree: ast.Module

    @property
    def room(self) -> str:
        """The package below the distribution, such as `rules`; the distribution itself for a module at its root."""
        top, _, rest = self.name.partition(".")
        return rest.partition(".")[0] if "." in rest and top == pitwarden.__name__ else top


@dataclass(frozen=True, slots=True)
class LogLine:
    """A call that writes a log line: its event, its level and the names of its fields."""

    event: str
    level: str
    fields: tuple[str, ...]
    room: str


@cache
def modules() -> tuple[Module, ...]:
    """Return every module of the table's distributions in the order of its path."""
    return tuple(module for package in PACKAGES for module in modules_of(package))


def modules_of(package: ModuleType) -> Iterator[Module]:
    """Yield every module of a package in the order of its path."""
    root = Path(str(package.__file__)).parent
    for file in sorted(root.rglob("*.py")):
        parts = [root.name, *file.relative_to(root).with_suffix("").parts]
        name = ".".join(part for part in parts if part != "__init__")
        text = file.read_text(encoding="utf-8")
        yield Module(name, file.relative_to(root.parents[1]).as_posix(), text, ast.parse(text))


@cache
def log_lines() -> tuple[LogLine, ...]:
    """Return every log line that the code may write; an event that is computed is shown as its expression."""
    return tuple(_log_lines())


def _log_lines() -> Iterator[LogLine]:
    for module in modules():
        loggers = _loggers(module.tree)
        writers = _writers(module.tree, loggers)
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and node.args:
                for level in _levels(node.func, loggers, writers):
                    fields = tuple(word.arg or "..." for word in node.keywords)
                    yield LogLine(_event(node.args[0]), level, fields, module.room)


def log_events_in(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the first argument, which is the event, of every call that writes a log line."""
    loggers = _loggers(tree)
    writers = _writers(tree, loggers)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and _levels(node.func, loggers, writers):
            yield node.args[0]


@cache
def error_classes() -> tuple[tuple[Module, ast.ClassDef], ...]:
    """Return every public class of exceptions, with its module."""
    classes = [
        (module, node) for module in modules() for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)
    ]
    names = {"Exception", "ValueError", "RuntimeError", "OSError"}
    found: set[str] = set()
    while names - found:
        found |= names
        names = {node.name for _, node in classes if any(_base(base) in found for base in node.bases)}
    return tuple((module, node) for module, node in classes if node.name in names and not node.name.startswith("_"))


def _loggers(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and "get_logger" in ast.unparse(node.value)
        ):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def _writers(tree: ast.Module, loggers: set[str]) -> dict[str, tuple[str, ...]]:
    """Return the local names that stand for one method of a logger or another, with their levels."""
    found: dict[str, tuple[str, ...]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and (levels := _levels(node.value, loggers, {})):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id] = tuple(dict.fromkeys((*found.get(target.id, ()), *levels)))
    return found


def _levels(func: ast.expr, loggers: set[str], writers: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the levels at which a call of `func` writes; none when it is not a method of a logger."""
    match func:
        case ast.Attribute(value=ast.Name(id=name), attr=level) if name in loggers and level in LEVELS:
            return (level,)
        case ast.IfExp(body=body, orelse=other):
            return (*_levels(body, loggers, writers), *_levels(other, loggers, writers))
        case ast.Name(id=name):
            return writers.get(name, ())
        case _:
            return ()


def _event(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)


def _base(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
