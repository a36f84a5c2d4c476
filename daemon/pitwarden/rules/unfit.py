"""One reason why the rules do not allow a table as it is set up."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unfit:
    """One thing that the rules do not allow: where in the table file, the clause, why."""

    key: tuple[str, ...]
    clause: str
    cites: tuple[str, ...]
    reason: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.clause}: {', '.join(self.cites)})"
