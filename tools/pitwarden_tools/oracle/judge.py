"""Complete oracle: a table and its lines in, the findings expected on each line out."""

from collections.abc import Iterable, Iterator

from pitwarden_tools.oracle.blackjack import Blackjack
from pitwarden_tools.oracle.blitz import Blitz
from pitwarden_tools.oracle.said import ExpectedFinding, Said, Setup, TextSilentError


def opinions(setup: Setup, lines: Iterable[str]) -> Iterator[list[ExpectedFinding]]:
    """Yield the findings expected on each of `lines`, as long as the texts decide them."""
    table = Blitz(setup) if setup.game == "CB" else Blackjack(setup)
    for line in lines:
        try:
            yield table.advance(Said.of(line))
        except TextSilentError:
            return
