"""Priority of what is open: a table of data, by verdict word, with exceptions by catalogue id."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitwarden_client.events.base import Text
from pitwarden_client.events.outputs import Verdict
from pitwarden_console.errors import ConsoleSettingsError

Priority = Literal[1, 2, 3]
LOWEST: Priority = 3


class CatalogueException(BaseModel):
    """Priority of one catalogue id, with the house's reason."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    priority: Priority
    why: Annotated[str, Field(min_length=10, max_length=500)]


class PriorityFile(BaseModel):
    """The file `priorities.toml`: every verdict word and every status of a duty has a priority."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdicts: Mapping[Verdict, Priority]
    duties: Mapping[Literal["due", "overdue", "done"], Priority]
    catalogue: Mapping[Text, CatalogueException]


@dataclass(frozen=True, slots=True)
class Priorities:
    """Priorities of a house."""

    file: PriorityFile

    def of_irregularity(self, catalogue: str, verdicts: Sequence[str]) -> Priority:
        """Return the priority of an irregularity. A word of a later schema version counts as the lowest."""
        exception = self.file.catalogue.get(catalogue)
        if exception is not None:
            return exception.priority
        words: Mapping[str, Priority] = {str(word): priority for word, priority in self.file.verdicts.items()}
        return min((words.get(word, LOWEST) for word in verdicts), default=LOWEST)

    def of_duty(self, catalogue: str, status: str) -> Priority:
        """Return the priority of a duty."""
        exception = self.file.catalogue.get(catalogue)
        if exception is not None:
            return exception.priority
        words: Mapping[str, Priority] = {str(word): priority for word, priority in self.file.duties.items()}
        return words.get(status, LOWEST)


def load_priorities(path: Path | None = None) -> Priorities:
    """Return the priorities in the file at `path`, or those that the console brings.

    Raises:
        ConsoleSettingsError: The file cannot be read or is not valid.
    """
    source = files("pitwarden_console") / "priorities.toml" if path is None else path
    try:
        return Priorities(PriorityFile.model_validate(tomllib.loads(source.read_text(encoding="utf-8"))))
    except OSError as error:
        raise ConsoleSettingsError(f"{source}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise ConsoleSettingsError(f"{source}: not a file of priorities: {error}") from None
