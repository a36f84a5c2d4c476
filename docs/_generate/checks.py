"""The list of clauses with the code that decides each, from the declarations of checks and modules.

`docs/reference/checks.md` is committed, since readers of the tree search in it; a test compares it.
`PYTHONPATH=docs python -m _generate.checks` writes it again.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from _generate.markdown import code, escape, page, table
from _generate.rules import profiles
from pitwarden.rules.engine.check_catalogue import CHECKS
from pitwarden.rules.engine.coverage import deciding_rules, rule_deciders
from pitwarden.rules.profile.clauses import Clause, clauses_of_game, load_clauses
from pitwarden.rules.profile.profile import GameProfile

FILE: Final = Path(__file__).parents[1] / "reference" / "checks.md"


def checks_page() -> str:
    """Return the page: a row for each clause."""
    known = profiles()
    rows = ((code(one.ident), escape(one.about), _decided_in(one, known)) for one in load_clauses())
    return page(
        "From a clause to its code",
        (
            "Each clause, and the file and function that decide it. A file of `transitions/` decides where it refuses "
            "an input, notifies or asks for a duty. Scenarios of a clause begin with its number: "
            "`tests/scenarios/*/SH-08-*`. Its sentences, and what clears it, are in the files of "
            "`daemon/pitwarden/rules/profile/data/cases/`."
        ),
        table(("clause", "subject", "decided in"), rows),
    )


def _decided_in(one: Clause, known: Mapping[str, GameProfile]) -> str:
    """Return files and functions as code; the reason where nothing decides the clause."""
    names = {
        name
        for game, profile in known.items()
        if one in set(clauses_of_game(game)) and (not one.games or game in one.games)
        for rule in deciding_rules(profile, one)
        for name in rule_deciders(rule)
    }
    places: dict[str, list[str]] = {}
    for name in sorted(names):
        file, function = _place(name)
        places.setdefault(file, []).extend([code(function)] if function else [])
    told = (" ".join((code(file), ", ".join(functions))).strip() for file, functions in sorted(places.items()))
    return "; ".join(told) or escape(one.why_unchecked or "")


def _place(name: str) -> tuple[str, str]:
    """Return file and function of a check, or the file of a module, by its published name."""
    for entry in CHECKS:
        if entry.id == name:
            return _file(entry.check.__module__), entry.check.__name__
    return _file(f"pitwarden.rules.{name}"), ""


def _file(module: str) -> str:
    return f"daemon/{module.replace('.', '/')}.py"


if __name__ == "__main__":
    FILE.write_text(checks_page(), encoding="utf-8")
