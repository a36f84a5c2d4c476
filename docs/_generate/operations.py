"""Pages for operators: metric families, log events and error classes."""

import ast
import re
from typing import Final

from _generate.markdown import anchor, code, escape_outside_code, page, prose, table
from _generate.scan import error_classes, log_lines
from pitwarden.metrics.families import ALL

_PARTS: Final = re.compile(r"\s*\b(Policy|Example):\s*")


def metrics() -> str:
    """Return the page of every metric family."""
    rows = (
        (
            code(one.name),
            one.kind,
            _unit(one.name),
            ", ".join(code(label) for label in one.all_labels),
            prose(one.words),
        )
        for one in sorted(ALL, key=lambda one: one.name)
    )
    return page(
        "Metrics",
        "Prometheus reads them from the socket or port of `[metrics]`. No family has a label or a value that a hidden "
        "card could move.",
        table(("metric", "type", "unit", "labels", "meaning"), rows),
    )


def log_events() -> str:
    """Return the page of every event that the service writes to the system journal."""
    merged: dict[tuple[str, str], set[str]] = {}
    rooms: dict[tuple[str, str], set[str]] = {}
    for one in log_lines():
        merged.setdefault((one.event, one.level), set()).update(one.fields)
        rooms.setdefault((one.event, one.level), set()).add(one.room)
    rows = (
        (code(event), level, ", ".join(code(name) for name in sorted(fields)), ", ".join(sorted(rooms[event, level])))
        for (event, level), fields in sorted(merged.items())
    )
    return page(
        "Log events",
        "Lines of the service in the system journal. The event is the field `PITWARDEN_EVENT`; each further field has "
        "the prefix `PITWARDEN_`. Of one kind at most 20 lines are written in five minutes; `log lines suppressed` "
        "counts the rest. No line contains a face, a reader's bit or a key.",
        table(("event", "level", "fields", "package"), rows),
    )


def errors() -> str:
    """Return the page of every class of errors, with its policy and an example."""
    parts = [
        (
            "Errors that the code distinguishes. The policy is what the handler does; the example is one real case. "
            "The class name is published in `check.failed` and in log lines as a diagnosis. It is not stable."
        )
    ]
    for package in ("pitwarden", "pitwarden_client", "pitwarden_drivers"):
        parts.append(f"## {package}")
        for module, node in error_classes():
            if module.name.partition(".")[0] == package:
                parts += [anchor(f"error-{node.name}"), f"### {node.name}", _error(node)]
    return page("Errors", *parts)


def _error(node: ast.ClassDef) -> str:
    words = " ".join((ast.get_docstring(node) or "").split())
    first, *rest = _PARTS.split(words)
    lines = [escape_outside_code(first)]
    lines += [f"*{name}:* {escape_outside_code(text)}" for name, text in zip(rest[::2], rest[1::2], strict=True)]
    return "\n\n".join(line for line in lines if line)


def _unit(name: str) -> str:
    parts = name.split("_")
    return next((unit for unit in ("seconds", "bytes") if unit in parts), "count" if parts[-1] == "total" else "")
