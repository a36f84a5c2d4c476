"""Finding of an examination: subject, level, reason and remedy."""

from dataclasses import asdict, dataclass
from typing import Literal

Level = Literal["ok", "warning", "bad"]


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """Finding. `bad` prevents the table from working or its record from being trusted; `warning` may become bad."""

    level: Level
    subject: str
    what: str
    why: str = ""
    remedy: str = ""

    def words(self) -> str:
        """Return the finding as lines for a person."""
        head = f"{self.level:<7} {self.subject}: {self.what}"
        return "\n".join(
            [head, *(f"          {line}" for line in (self.why, self.remedy and f"mend: {self.remedy}") if line)]
        )

    def fields(self) -> dict[str, str]:
        """Return the finding for a program. `mend` is the former name of `remedy`; version 0.4 drops it."""
        return {**asdict(self), "mend": self.remedy}


def passed(subject: str, what: str) -> DoctorFinding:
    """Return a finding without a problem."""
    return DoctorFinding("ok", subject, what)
