"""What verification finds: the kind of tampering, the row, and what that proves."""

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal[
    "file_damaged", "row_changed", "row_removed", "rows_reordered", "row_appended", "tail_cut", "older_copy",
    "other_table", "rewritten", "forged", "outputs_broken", "halves_differ",
]  # fmt: skip

MEANING: Final[dict[Kind, str]] = {
    "file_damaged": "the file itself is damaged",
    "row_changed": "the bytes of a committed row were changed",
    "row_removed": "one or more committed rows were removed from the middle",
    "rows_reordered": "committed rows were put in another order or under other numbers",
    "row_appended": "a row was added that the table did not write",
    "tail_cut": "committed rows were removed from the end",
    "older_copy": "the file was replaced by an older copy of itself, or its end and every mark of it were removed",
    "other_table": "this is the journal of another table",
    "rewritten": "rows were written anew by somebody without the table's signing key, the chain of hashes with them",
    "forged": "a signature is not the table's",
    "outputs_broken": "what was judged was changed, removed or added to",
    "halves_differ": "log and judge hold different rows under one number",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it was committed. `where` names journal and row; `why` is the evidence."""

    kind: Kind
    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.kind} at {self.where}: {MEANING[self.kind]}; {self.why}"
