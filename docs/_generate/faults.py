"""The page of the demo's faults: what each does and which verdicts must follow."""

from _generate.markdown import code, escape, page, table
from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.setup import ALL_TABLES


def faults() -> str:
    """Return the page of every fault of the simulated night, by game."""
    rows = []
    for one in load_faults():
        expected = "; ".join(f"{row.clause} {' '.join(sorted(row.verdicts))} ({row.catalogue})" for row in one.rows)
        cleared = "; ".join(row.cleared for row in one.rows)
        game = ALL_TABLES[one.table].game
        rows.append((game, code(one.name), escape(one.what), expected or "nothing, and nothing lost", escape(cleared)))
    return page(
        "Faults of the demo",
        "`pitwarden demo` commits these faults on a simulated night and compares the verdicts with this table. "
        "`pitwarden demo --faults NAME` commits one.",
        table(("game", "fault", "what happens", "expected", "cleared by"), rows),
    )
