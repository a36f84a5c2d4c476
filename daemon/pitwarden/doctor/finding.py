"""One finding: what was looked at, how it is, why that matters, and what mends it."""

from dataclasses import asdict, dataclass
from typing import Literal

Level = Literal["ok", "warning", "bad"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`bad` keeps the table from working or its record from being believed; `warning` will, or may."""

    level: Level
    subject: str
    what: str
    why: str = ""
    mend: str = ""

    def words(self) -> str:
        """Lines for a person."""
        head = f"{self.level:<7} {self.subject}: {self.what}"
        return "\n".join(
            [head, *(f"          {line}" for line in (self.why, self.mend and f"mend: {self.mend}") if line)]
        )

    def fields(self) -> dict[str, str]:
        """The same for a machine."""
        return asdict(self)


def ok(subject: str, what: str) -> Finding:
    """All is well."""
    return Finding("ok", subject, what)
