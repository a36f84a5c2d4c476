"""Reading of the code as syntax trees: its modules, its log lines and its error classes."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pitwarden
import pitwarden_drivers

PACKAGES: Final = (pitwarden, pitwarden_drivers)
LEVELS: Final = ("debug", "info", "warning", "error", "critical", "exception")


@dataclass(frozen=True, slots=True)
class Module:
    """One module of the service or the drivers: its dotted name and its syntax tree."""

    name: str
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


def modules() -> Iterator[Module]:
    """Yield every module in the order of its path."""
    for package in PACKAGES:
        root = Path(str(package.__file__)).parent
        for file in sorted(root.rglob("*.py")):
            parts = [root.name, *file.relative_to(root).with_suffix("").parts]
            name = ".".join(part for part in parts if part != "__init__")
            yield Module(name, ast.parse(file.read_text(encoding="utf-8")))


def log_lines() -> Iterator[LogLine]:
    """Yield every log line that the code may write; an event that is computed is shown as its expression."""
    for module in modules():
        loggers = _loggers(module.tree)
        writers = _writers(module.tree, loggers)
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and node.args:
                for level in _levels(node.func, loggers, writers):
                    fields = tuple(word.arg or "..." for word in node.keywords)
                    yield LogLine(_event(node.args[0]), level, fields, module.room)


def is_log_call(node: ast.Call, tree: ast.Module) -> bool:
    """Return whether `node` writes a log line of the module `tree`."""
    loggers = _loggers(tree)
    return bool(_levels(node.func, loggers, _writers(tree, loggers)))


def error_classes() -> Iterator[tuple[Module, ast.ClassDef]]:
    """Yield every class of exceptions, public ones only, with its module."""
    names = {"Exception", "ValueError", "RuntimeError", "OSError"}
    known = list(modules())
    while True:
        more = {
            node.name
            for module in known
            for node in ast.walk(module.tree)
            if isinstance(node, ast.ClassDef) and any(_base(base) in names for base in node.bases)
        }
        if more <= names:
            break
        names |= more
    for module in known:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef) and node.name in names and not node.name.startswith("_"):
                yield module, node


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
