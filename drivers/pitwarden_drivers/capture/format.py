"""Text format of a capture: a header that states its origin, then one step of the dialogue a line.

    # pitwarden capture 1
    # driver: tdp
    # ...
    0 open 0 0                 the port opened; the log ended with this boot and counter
    0 > 7E01...7E              the host sent
    3 < 7E81...7E              the device sent
    4 commit 1 2               the log stored up to this boot and counter
    500 tick                   the dialogue was woken

Times are ms since the first opening. The bytes of a card-reading device are cards; see the page
docs/how-to/integrator/record-a-capture.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Final, Literal, get_args

TITLE: Final = "# pitwarden capture 1"
# Size of a capture: hours of a busy device. A longer one is refused before it is parsed.
MAX_BYTES: Final = 16_777_216
# Latest time in a capture in ms, a day after its start.
MAX_MS: Final = 86_400_000
_ARGUMENTS: Final = {"open": 2, "<": 1, ">": 1, "tick": 0, "commit": 2, "command": 2}
Op = Literal["open", "<", ">", "tick", "commit", "command"]


class CaptureFormatError(ValueError):
    """The file is not a capture. Policy: name file and line, replay nothing.

    Example: bytes that are not hexadecimal.
    """


@dataclass(frozen=True, slots=True)
class CaptureHeader:
    """Origin of a capture. `starts`: monotonic ms of the first opening; `simulated`: yes or no."""

    device: str
    driver: str
    family: str
    serial: str
    firmware: str
    simulated: str
    who: str
    when: str
    how: str
    starts: int = 0

    def lines(self) -> Iterator[str]:
        """Yield the lines of the header, as in the file."""
        yield TITLE
        for one in fields(self):
            yield f"# {one.name}: {_one_line(str(getattr(self, one.name)))}"


@dataclass(frozen=True, slots=True)
class CaptureStep:
    """Step of the dialogue, `at` ms after the first opening. It may hold a card, so its repr shows no words."""

    at: int
    op: Op
    words: tuple[str, ...] = field(default=(), repr=False)

    def line(self) -> str:
        """Return the line of the step, as in the file."""
        return " ".join((str(self.at), self.op, *self.words))


@dataclass(frozen=True, slots=True)
class Capture:
    """Complete capture: header and steps."""

    header: CaptureHeader
    steps: tuple[CaptureStep, ...]


def parse_capture(name: str, text: str) -> Capture:
    """Return the capture in `text`.

    Raises:
        CaptureFormatError: The text is not a capture; the message has `name` and the line.
    """
    if len(text) > MAX_BYTES:
        raise CaptureFormatError(f"{name}: longer than {MAX_BYTES} bytes: cut the capture into shorter ones")
    lines = text.splitlines()
    if not lines or lines[0] != TITLE:
        raise CaptureFormatError(f"{name}:1: a capture begins with `{TITLE}`")
    said: dict[str, str] = {}
    steps: list[CaptureStep] = []
    for at, line in enumerate(lines[1:], 2):
        if line.startswith("# "):
            key, _, value = line[2:].partition(": ")
            said[key] = value
        elif line:
            steps.append(_step(f"{name}:{at}", line, steps[-1].at if steps else 0))
    if not steps or steps[0].op != "open":
        raise CaptureFormatError(f"{name}: a capture begins with the opening of the port")
    return Capture(_header(name, said), tuple(steps))


def _header(name: str, said: dict[str, str]) -> CaptureHeader:
    known = [one.name for one in fields(CaptureHeader)]
    missing = [key for key in known if key not in said]
    strange = [key for key in said if key not in known]
    if missing or strange:
        words = [*(f"`{key}` is missing" for key in missing), *(f"`{key}` is no known key" for key in strange)]
        raise CaptureFormatError(f"{name}: its header: {'; '.join(words)}")
    starts = said.pop("starts")
    if not starts.isdecimal() or said["simulated"] not in {"yes", "no"}:
        raise CaptureFormatError(f"{name}: its header: `starts` is a number, `simulated` is yes or no")
    return CaptureHeader(**said, starts=int(starts))


def _step(place: str, line: str, earliest: int) -> CaptureStep:
    at, _, rest = line.partition(" ")
    op, *words = rest.split(" ")
    if not at.isdecimal() or not earliest <= int(at) <= MAX_MS:
        raise CaptureFormatError(f"{place}: a step begins with ms since the opening, never less than the step before")
    if op not in _ARGUMENTS or len(words) != _ARGUMENTS[op]:
        raise CaptureFormatError(f"{place}: a step is one of {', '.join(get_args(Op))}, with its words")
    try:
        _ = [bytes.fromhex(word) if op in {"<", ">"} else int(word) for word in words if op != "command"]
    except ValueError:
        raise CaptureFormatError(f"{place}: bytes are hexadecimal, positions are numbers") from None
    return CaptureStep(int(at), op, tuple(words))  # type: ignore[arg-type]  # _ARGUMENTS has the names of Op


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)
