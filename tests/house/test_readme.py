"""The README's tables are made from the data that they speak of. Running this file writes them anew."""

import re
from pathlib import Path

from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.setup import ALL_TABLES

README = Path(__file__).parents[2] / "README.md"
MARK = re.compile(r"(<!-- faults -->\n).*(<!-- end of faults -->)", re.DOTALL)


def fault_table() -> str:
    """Every fault of the demo with what the judge must say to it, as Markdown."""
    lines = ["| game | fault | what happens | expected | cleared by |", "|---|---|---|---|---|"]
    for fault in load_faults():
        expected = "; ".join(f"{row.clause} {' '.join(sorted(row.verdicts))} ({row.catalogue})" for row in fault.rows)
        cleared = "; ".join(row.cleared for row in fault.rows)
        game = ALL_TABLES[fault.table].game
        lines.append(
            f"| {game} | `{fault.name}` | {fault.what} | {expected or 'nothing, and nothing lost'} | {cleared} |"
        )
    return "\n".join(lines) + "\n"


def test_the_fault_table_is_true() -> None:
    made = MARK.sub(lambda match: match[1] + fault_table() + match[2], README.read_text())
    assert README.read_text() == made
    assert fault_table() in made


def test_the_two_commands_are_there() -> None:
    text = README.read_text()
    assert "./run demo" in text
    assert "./run tests" in text
    assert (README.parent / "run").stat().st_mode & 0o111


if __name__ == "__main__":
    README.write_text(MARK.sub(lambda match: match[1] + fault_table() + match[2], README.read_text()))
