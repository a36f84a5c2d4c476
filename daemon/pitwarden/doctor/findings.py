"""One finding: what was looked at, how it is, why that matters, and what fixes it."""

from dataclasses import asdict, dataclass
from typing import Literal

Level = Literal["ok", "warning", "bad"]


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """`bad` keeps the table from working or its record from being believed; `warning` will, or may."""

    level: Level
    subject: str
    what: str
    why: str = ""
    remedy: str = ""

    def words(self) -> str:
        """Lines for a person."""
        head = f"{self.level:<7} {self.subject}: {self.what}"
        return "\n".join(
            [head, *(f"          {line}" for line in (self.why, self.remedy and f"mend: {self.remedy}") if line)]
        )

    def fields(self) -> dict[str, str]:
        """The same for a machine. `mend` is the former name of `remedy`; version 0.4 drops it."""
        return {**asdict(self), "mend": self.remedy}


def passed(subject: str, what: str) -> DoctorFinding:
    """All is well."""
    return DoctorFinding("ok", subject, what)
