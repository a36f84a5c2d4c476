"""The oracle as a whole: a table and its lines in, what must be said to each line out."""

from collections.abc import Iterable, Iterator

from pitwarden_tools.oracle.blackjack import Blackjack
from pitwarden_tools.oracle.blitz import Blitz
from pitwarden_tools.oracle.said import ExpectedFinding, Said, Setup, TextSilentError


def opinions(setup: Setup, lines: Iterable[str]) -> Iterator[list[ExpectedFinding]]:
    """What must be said to each of `lines`, for as long as the texts decide it."""
    table = Blitz(setup) if setup.game == "CB" else Blackjack(setup)
    for line in lines:
        try:
            yield table.hear(Said.of(line))
        except TextSilentError:
            return
