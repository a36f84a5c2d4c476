"""Configuration errors with file, line, key, reason and nearest spelling.

tomllib keeps no line numbers, so a small scan finds them for the messages.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, ValidationError

from pitwarden.config.models import TableFile
from pitwarden_client.spelling import nearest_hint

_HEADER: Final = re.compile(r"^\s*\[\[?\s*([^\]]+?)\s*\]\]?")
_KEY: Final = re.compile(r"^\s*([A-Za-z0-9_.\"'-]+)\s*=")


def find_line(text: str, path: tuple[str, ...]) -> int:
    """Return the line (from 1) of the key at `path`, or of the nearest table above it; 1 without a match."""
    best = (0, 1)
    section: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        key = _KEY.match(line)
        if header:
            section = _parts(header.group(1))
            here = section
        elif key:
            here = section + _parts(key.group(1))
        else:
            continue
        shared = len(here) if path[: len(here)] == here else 0
        if shared > best[0]:
            best = (shared, number)
    return best[1]


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """Problem of a table file, and its place."""

    file: str
    line: int
    key: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}  {self.key}: {self.reason}"


class ConfigError(Exception):
    """The table file is not valid.

    Policy: print every problem and stop with exit code 78 before any port is opened.

    Example: an unknown key.
    """

    def __init__(self, problems: Iterable[ConfigProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


# Problems that are reported at once. Each costs a search of the text; more than these are not corrected in one go.
MOST_PROBLEMS: Final = 100


def collect_problems(name: str, text: str, error: ValidationError) -> Iterable[ConfigProblem]:
    """Yield the first errors of `error`, each as a problem of the file `name`, whose text is `text`."""
    for path, reason in worded_errors(error, TableFile):
        yield ConfigProblem(name, find_line(text, path), ".".join(path), reason)


def worded_errors(error: ValidationError, whole: type[BaseModel]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the place and the reason of each of the first errors in a file whose keys are those of `whole`."""
    for one in error.errors(include_url=False, include_input=False)[:MOST_PROBLEMS]:
        path = tuple(str(part) for part in one["loc"])
        if one["type"] == "extra_forbidden":
            yield path, "is no known key" + nearest_hint(path[-1], _known(path[:-1], whole))
        elif one["type"] == "missing":
            yield path, "is missing"
        else:
            yield path, one["msg"][0].lower() + one["msg"][1:]


def _known(path: tuple[str, ...], whole: type[BaseModel]) -> list[str]:
    """Return the keys of the section at `path` of a file whose keys are those of `whole`."""
    model = whole
    for part in path:
        field = model.model_fields.get(part)
        if field is None:
            continue  # the user's own name of a device or deck
        inner = list(nested_models(field.annotation))
        if inner:
            model = inner[0]
    return list(model.model_fields)


def nested_models(annotation: object) -> Iterable[type[BaseModel]]:
    """Yield the models that occur anywhere in a type annotation."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in getattr(annotation, "__args__", ()):
        yield from nested_models(inner)
