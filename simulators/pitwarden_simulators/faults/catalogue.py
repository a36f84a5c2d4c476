"""Reader of catalogue.toml: the faults by name, in the order in which a night commits them."""

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from pitwarden_client.spelling import nearest_hint
from pitwarden_simulators.faults.fault import Fault, FaultRow


def load_faults() -> tuple[Fault, ...]:
    """Return all faults of all tables."""
    text = files("pitwarden_simulators.faults").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return tuple(_fault(entry) for entry in tomllib.loads(text)["fault"])


def chosen(faults: Sequence[Fault], names: str) -> tuple[Fault, ...]:
    """Return the faults that `all`, `none` or a comma-separated list of names selects.

    Raises:
        ValueError: A name is unknown.
    """
    if names in {"all", "none"}:
        return tuple(faults) if names == "all" else ()
    wanted = [name.strip() for name in names.split(",")]
    known = {fault.name for fault in faults}
    for name in wanted:
        if name not in known:
            hint = nearest_hint(name, known)
            raise ValueError(f"no fault of this game is called {name!r}{hint}. Known: {', '.join(sorted(known))}")
    return tuple(fault for fault in faults if fault.name in wanted)


def _fault(entry: dict[str, Any]) -> Fault:
    rows = tuple(
        FaultRow(
            row["catalogue"],
            row["clause"],
            frozenset(row["verdicts"]),
            row["cleared"],
            row["by"],
            row.get("later", 0),
        )
        for row in entry.get("gives", ())
    )
    trigger = entry.get("trigger", "next round")
    return Fault(entry["name"], entry["table"], entry["what"], entry["rig"], trigger, entry.get("alone", False), rows)
