"""The list of limits and time-outs, collected from the constants of the code with the reasons that stand there.

`docs/reference/limits.md` is committed, so that a changed limit shows in a review; a test compares it.
`PYTHONPATH=docs python -m _generate.limits` writes it again.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pitwarden_console
from _generate.markdown import code, escape_outside_code, page, table
from _generate.scan import Module, modules, modules_of

ROOT: Final = Path(__file__).parents[2]
FILE: Final = ROOT / "docs" / "reference" / "limits.md"
ROOMS: Final[Mapping[str, str]] = {
    "drivers/pitwarden_drivers": "Drivers",
    "daemon/pitwarden/field": "Field half",
    "daemon/pitwarden/judge": "Judge half",
    "daemon/pitwarden/judge_group": "Judges of a property",
    "daemon/pitwarden/rules": "Rules core",
    "daemon/pitwarden/journal": "Journals",
    "daemon/pitwarden/bus": "Broker connection",
    "daemon/pitwarden": "Other parts of the service",
    "client/pitwarden_client": "Client",
    "console/pitwarden_console": "Console",
}
"""Heading for each folder; a file belongs to the longest folder that contains it."""

_UNITS: Final[Mapping[str, str]] = {
    "MS": "ms", "S": "s", "SECONDS": "s", "DAYS": "days", "BYTES": "bytes", "ROWS": "rows", "LINES": "lines",
    "LETTERS": "characters", "PAGES": "pages", "DIGITS": "digits",
}  # fmt: skip
_TIMES: Final = frozenset({"ms", "s", "days"})
_BOUNDS: Final = frozenset({
    "MAX", "MOST", "LEAST", "MIN", "LONGEST", "LAST", "KEPT", "REMEMBERED", "HELD", "LIMIT", "QUEUE", "INBOX",
    "WAITING", "PAGE", "BATCH", "RATE", "BURST",
})  # fmt: skip
"""First words of the names of bounds."""
_CONVERSIONS: Final = re.compile(r"_?(DAY|HOUR|MINUTE)_(MS|S)|_USEC")
_NOT_LIMITS: Final = frozenset({
    "MINOR", "PORT", "TLS_PORT", "PLACE_PARTS", "REFUSED_FROM", "UNKNOWN_TYPE", "MIDNIGHT_MS", "APPLICATION",
    "UNMARKED", "SKIPPED", "MISREAD", "HARD_TOTAL", "FIVE", "ALARM", "AHEAD", "RANKS", "_WHOLE_PROCESS", "_STRIDE",
    "_PR_SET_DUMPABLE", "_WITH_PAGE", "_LIMIT", "_BYTES", "ID_BYTES", "_GROWTH", "_SHARE", "_ROUNDS",
})  # fmt: skip
"""Constants with a reason that bound nothing: versions, codes and numbers of a rule or of a protocol."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One constant that bounds a number, a size or a time."""

    name: str
    value: float
    file: str
    """Path from the root of the repository."""
    reason: str
    """The comment at the constant; empty where it has none."""

    @property
    def unit(self) -> str:
        """Unit that the last word of the name states; empty for a plain number."""
        return _UNITS.get(self.name.rpartition("_")[2], "")

    @property
    def is_named_as_limit(self) -> bool:
        """True where the name alone marks a time or a bound."""
        return self.unit in _TIMES or self.name.lstrip("_").partition("_")[0] in _BOUNDS


def limits() -> list[Limit]:
    """Return every limit of the service, the drivers, the client and the console: each distribution by file."""
    found = (one for module in (*modules_of(pitwarden_console), *modules()) for one in _limits_in(module))
    return [one for one in found if _belongs(one)]


def limits_page() -> str:
    """Return the page of all limits, by room."""
    found: dict[str, list[Limit]] = {folder: [] for folder in ROOMS}
    for one in limits():
        found[max((folder for folder in ROOMS if one.file.startswith(f"{folder}/")), key=len)].append(one)
    parts = [(
        "Bounds, delays and time-outs in the code, generated from its constants and the comments at them. What a table "
        "file or a console file can set is in [](table-file.md) and [](console-file.md); the times and sizes of the "
        "reference protocol are in [](tdp.md)."
    )]  # fmt: skip
    for folder, rows in found.items():
        if rows:
            parts += [f"## {ROOMS[folder]}", _table(rows)]
    return page("Limits and time-outs", *parts)


def _table(rows: list[Limit]) -> str:
    cells = (
        (f"{_number(one.value)} {one.unit}".strip(), escape_outside_code(one.reason), code(one.name), code(one.file))
        for one in rows
    )
    return table(("value", "what it bounds, and why", "name", "file"), cells)


def _belongs(one: Limit) -> bool:
    if one.name in _NOT_LIMITS or _CONVERSIONS.fullmatch(one.name) or one.file.startswith("daemon/pitwarden/scenario/"):
        return False
    return one.is_named_as_limit or bool(one.reason)


def _limits_in(module: Module) -> Iterator[Limit]:
    body = module.tree.body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name) or node.value is None:
            continue
        value = _value(node.value)
        if value is not None and "Final" in ast.unparse(node.annotation):
            reason = _reason(module.text.splitlines(), node, after)
            yield Limit(node.target.id, value, module.path, reason)


def _value(node: ast.expr) -> float | None:
    """Return the number that an expression of literals is; None for any other expression."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.BinOp(left=left, op=ast.Mult() | ast.Pow() as op, right=right):
            first, second = _value(left), _value(right)
            if first is None or second is None:
                return None
            return first * second if isinstance(op, ast.Mult) else float(first**second)
        case _:
            return None


def _reason(lines: list[str], node: ast.AnnAssign, after: ast.stmt | None) -> str:
    """Return the comment above a constant, the one behind it, or the docstring below it."""
    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
        return " ".join(after.value.value.split())
    above: list[str] = []
    at = node.lineno - 2
    while at >= 0 and lines[at].startswith("#"):
        above.insert(0, lines[at].lstrip("# "))
        at -= 1
    behind = lines[(node.end_lineno or node.lineno) - 1].partition("  # ")[2]
    return " ".join(part for part in (*above, behind) if part)


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"


if __name__ == "__main__":
    FILE.write_text(limits_page(), encoding="utf-8")
