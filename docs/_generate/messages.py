"""The list of every sentence that a person can be shown, collected from the code and the data.

`docs/reference/messages.md` is committed, so that a change of a sentence shows in a review; a test compares it.
`PYTHONPATH=docs python -m _generate.messages` writes it again.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from _generate.markdown import escape, page, table
from _generate.scan import Module, log_events_in, modules
from pitwarden.rules.profile.case_records import load_cases
from pitwarden.rules.profile.clauses import load_clauses
from pitwarden.rules.profile.refusals import load_refusals

FILE: Final = Path(__file__).parents[1] / "reference" / "messages.md"

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
    "pitwarden_drivers": "Drivers: maps, codes, captures, ports",
}
"""Headings by package; a package that is not here stands under its own name behind these."""

# Arguments that other pages show: help texts are in the command line reference, metric texts in the metrics page.
_ELSEWHERE: Final = frozenset({"help", "description", "metavar", "words"})
_SENTENCE: Final = re.compile(r"[A-Za-z`'\"]{2,}[,;:.]? +[^ ].*[a-z]{2}")
_MACHINE: Final = re.compile(
    r"^\s*(SELECT|INSERT|DELETE|UPDATE|CREATE|PRAGMA|DROP|ALTER|BEGIN|WITH|HTTP/|ATTACH|VACUUM|ROLLBACK)\b"
    r"|\\[A-Za-z]|\(\?|</|ORDER BY|\{ [a-z-]+: |^[45]\d\d |^\w+[. ]\w+ \w+="
)
"""SQL, patterns, style sheets, status lines of HTTP, and lines that a person types."""

_LEAST_WORDS: Final = 3


def _in_order(text: str) -> tuple[str, str]:
    """Return the key of an order without ties: sets have none of their own from one process to the next."""
    return text.lower(), text


def messages() -> str:
    """Return the page of every sentence, by package, each once."""
    found: dict[str, set[str]] = {}
    for module in modules():
        found.setdefault(module.room, set()).update(sentences(module))
    found.setdefault("rules", set()).update(one.says for cases in load_cases().values() for one in cases)
    found["rules"].update(one.says for one in load_refusals().values())
    order = [*(room for room in ROOMS if room in found), *sorted(set(found) - set(ROOMS))]
    count = sum(map(len, found.values()))
    parts = [
        (
            f"Every sentence that a person can be shown: {count} templates, generated from the code. "
            f"`{{name}}` stands for "
            "a value. A part of a sentence that is joined to others at run time has a row of its own."
        ),
        "**Not yet reviewed by somebody who deals cards.** No sentence on this page has been approved by a croupier.",
    ]
    for room in order:
        if found[room]:
            parts += [f"## {ROOMS.get(room, room)}", _table(sorted(found[room], key=_in_order))]
    parts += ["## Headings of the clauses", _table([f"{one.ident}: {one.about}" for one in load_clauses()])]
    reasons = sorted({one.why_unchecked for one in load_clauses() if one.why_unchecked})
    parts += ["## Reasons why a clause has no check", _table(reasons)]
    return page("Messages", *parts)


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


def _table(texts: list[str]) -> str:
    return table(("sentence", "reviewed"), ((escape(text), "no") for text in texts))


if __name__ == "__main__":
    FILE.write_text(messages(), encoding="utf-8")
