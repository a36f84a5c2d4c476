"""The page of the phases of a round, drawn from the table of transitions."""

from collections.abc import Iterator

from _generate.markdown import code, page, table
from pitwarden.rules.state.phase import CAUSES, COURSES, TRANSITIONS


def round_phases() -> str:
    """Return the page of the phases of a round: their meaning, the drawing, and what causes each transition."""
    return page(
        "Phases of a round",
        "A round is in one phase after each row of the log. One table in the code holds all transitions, and this page "
        "is generated from it.",
        table(("phase", "meaning"), ((code(one), text) for one, text in COURSES.items())),
        "## Transitions",
        "An arrow is labeled with its cause. Where several causes hold, the first one of a phase decides. A row may "
        "lead through several phases.",
        "```text\n" + "\n".join(_arrows()) + "\n```",
        "## Causes",
        table(("cause", "sign"), ((code(cause), text) for cause, text in CAUSES.items())),
        "## Void rounds",
        "That a round is void is no phase. It follows from live irregularities with the verdict {term}`VOID` or "
        "{term}`DEAD`, and nothing is published while it lasts. When the last of them is refuted or withdrawn, the "
        "round continues in the phase in which it is then.",
    )


def _arrows() -> Iterator[str]:
    widest = max(map(len, COURSES))
    longest = max(map(len, CAUSES))
    for course, causes in TRANSITIONS.items():
        for cause, after in causes.items():
            yield f"{course:>{widest}} --{cause:-<{longest}}--> {after}"
