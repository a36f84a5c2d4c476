"""The list of every sentence that a person can be shown, collected from the code and the data.

`docs/reference/messages.md` is committed, so that a change of a sentence shows in a review; a test compares it.
`PYTHONPATH=docs python -m _generate.messages` writes it again.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import pitwarden_console
from _generate.markdown import escape, page, table
from _generate.scan import Module, log_events_in, modules, modules_of
from pitwarden.rules.profile.case_records import parse_cases
from pitwarden.rules.profile.clauses import load_clauses
from pitwarden.rules.profile.permit_reasons import REASONS_FILE, load_permit_reasons
from pitwarden.rules.profile.refusals import REFUSALS_FILE, load_refusals

_ROOT: Final = Path(__file__).parents[2]
FILE: Final = _ROOT / "docs" / "reference" / "messages.md"
_DATA: Final = _ROOT / "daemon" / "pitwarden" / "rules" / "profile" / "data"
_CLAUSES: Final = f"{_DATA.relative_to(_ROOT)}/clauses.toml"

ROOMS: Final[Mapping[str, str]] = {
    "rules": "At the table: irregularities, duties, notices and refusals of the rules core",
    "field": "Field half: refusals of inputs and commands, faults",
    "judge": "Judge half",
    "config": "Table file",
    "doctor": "Doctor",
    "watch": "Screen of `pitwarden watch`",
    "cli": "Command line",
    "scenario": "Scenario files",
    "pit": "Pit",
    "judge_group": "Judges of a property",
    "installation": "Set-up of a table",
    "support": "Support bundle",
    "journal": "Journals",
    "audit": "Audit of journals",
    "seal": "Keys and seals",
    "bus": "Broker connection",
    "metrics": "Metrics",
    "client": "Client",
    "contract": "Contract",
    "events": "Messages on the bus",
    "pitwarden": "Service",
    "service": "Start, stop and reload of the service",
    "system": "Operating system",
    "pitwarden_client": "Client library",
    "pitwarden_console": "Pit console, without the templates of its pages",
    "pitwarden_drivers": "Drivers: maps, codes, captures, ports",
}
"""Headings by package; a package that is not here stands under its own name behind these."""

# Arguments that other pages show: help texts are in the command line reference, metric texts in the metrics page.
_ELSEWHERE: Final = frozenset({"help", "description", "metavar", "words"})
_SENTENCE: Final = re.compile(r"[A-Za-z`'\"]{2,}[,;:.]? +[^ ].*[a-z]{2}")
_MACHINE: Final = re.compile(
    r"^\s*(SELECT|INSERT|DELETE|UPDATE|CREATE|PRAGMA|DROP|ALTER|BEGIN|WITH|HTTP/|ATTACH|VACUUM|ROLLBACK)\b"
    r"|^default-src |max-age=|^event: |\\[A-Za-z]|\(\?|</|ORDER BY|\{ [a-z-]+: |^[45]\d\d |^\w+[. ]\w+ \w+="
)
"""SQL, patterns, style sheets, headers and status lines of HTTP, and lines that a person types."""

_LEAST_WORDS: Final = 3


def _in_order(row: tuple[str, set[str]]) -> tuple[str, str]:
    """Return the key of an order without ties."""
    return row[0].lower(), row[0]


def messages() -> str:
    """Return the page of every sentence, by package, each once."""
    found: dict[str, dict[str, set[str]]] = {}
    for module in (*modules(), *modules_of(pitwarden_console)):
        for text in sentences(module):
            found.setdefault(module.room, {}).setdefault(text, set()).add(module.path)
    for path, text in _recorded():
        found.setdefault("rules", {}).setdefault(text, set()).add(path)
    order = [*(room for room in ROOMS if room in found), *sorted(set(found) - set(ROOMS))]
    count = sum(map(len, found.values()))
    parts = [
        (
            f"Every sentence that a person can be shown: {count} templates, generated from the code, each with its "
            "file. `{name}` stands for a value. A part of a sentence that is joined to others at run time has a row of "
            "its own."
        ),
        "**Not yet reviewed by somebody who deals cards.** No sentence on this page has been approved by a croupier.",
    ]
    for room in order:
        if found[room]:
            parts += [f"## {ROOMS.get(room, room)}", _table(sorted(found[room].items(), key=_in_order))]
    headings = [f"{one.ident}: {one.about}" for one in load_clauses()]
    reasons = sorted({one.why_unchecked for one in load_clauses() if one.why_unchecked})
    parts += ["## Headings of the clauses", _table((text, {_CLAUSES}) for text in headings)]
    parts += ["## Reasons why a clause has no check", _table((text, {_CLAUSES}) for text in reasons)]
    return page("Messages", *parts)


def _recorded() -> Iterator[tuple[str, str]]:
    """Yield file and sentence of each case, refusal and reason of the permit that stands in the rules' data."""
    for file in sorted((_DATA / "cases").glob("*.toml")):
        for cases in parse_cases(file.name, file.read_text(encoding="utf-8")).values():
            yield from ((f"{_DATA.relative_to(_ROOT)}/cases/{file.name}", one.says) for one in cases)
    yield from ((f"{_DATA.relative_to(_ROOT)}/{REFUSALS_FILE}", one.says) for one in load_refusals().values())
    yield from ((f"{_DATA.relative_to(_ROOT)}/{REASONS_FILE}", says) for says in load_permit_reasons().values())


def sentences(module: Module) -> Iterator[str]:
    """Yield the template of every sentence in a module, without docstrings, log events and help texts."""
    skipped = set(_skipped(module.tree))
    waiting: list[ast.AST] = [module.tree]
    while waiting:
        node = waiting.pop()
        if id(node) in skipped:
            continue
        text = _template(node)
        if text is None:
            waiting += ast.iter_child_nodes(node)
            continue
        text = " ".join(text.split())
        if _SENTENCE.search(text) and not _MACHINE.search(text) and len(text.split()) >= _LEAST_WORDS:
            yield text
        if isinstance(node, ast.JoinedStr):  # a sentence may choose between words inside its braces
            waiting += [part for part in node.values if isinstance(part, ast.FormattedValue)]


def _skipped(tree: ast.Module) -> Iterator[int]:
    for event in log_events_in(tree):
        yield id(event)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield id(node)  # the docstring of a module, class, function or attribute
        if isinstance(node, ast.keyword) and node.arg in _ELSEWHERE:
            yield id(node)
        if isinstance(node, ast.Assign) and any(
            isinstance(one, ast.Name) and one.id in _ELSEWHERE for one in node.targets
        ):
            yield id(node)
        if isinstance(node, ast.Call) and node.args:
            if isinstance(node.func, ast.Name) and node.func.id in {"Family", "Literal"}:
                yield id(node)
            if ast.unparse(node.func) in {"re.compile", "re2.compile", "AssertionError"}:
                yield id(node)
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) in {"Literal", "typing.Literal"}:
            yield id(node)


def _template(node: ast.AST) -> str | None:
    """Return the text of a string or formatted string, its values as names in braces; None for any other node."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if not isinstance(node, ast.JoinedStr):
        return None
    return "".join(
        part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else f"{{{_value(part)}}}"
        for part in node.values
    )


def _value(part: ast.expr) -> str:
    """Return a name for a value: the last name of a plain expression, three dots for a computed one."""
    value = part.value if isinstance(part, ast.FormattedValue) else part
    if isinstance(value, ast.Name):
        return value.id
    return value.attr if isinstance(value, ast.Attribute) else "..."


def _table(rows: Iterable[tuple[str, set[str]]]) -> str:
    return table(
        ("sentence", "file", "reviewed"),
        ((escape(text), ", ".join(f"`{path}`" for path in sorted(paths)), "no") for text, paths in rows),
    )


if __name__ == "__main__":
    FILE.write_text(messages(), encoding="utf-8")
