"""The error of a scenario file, with file, line, reason and the nearest known word."""

from collections.abc import Iterable

from pitwarden_client.spelling import nearest


class ScenarioError(ValueError):
    """The file is not a valid scenario.

    Policy: print the error, evaluate nothing of the file, exit with code 2.

    Example: `sh.crad 9H` in line 12; the officer reads `night.scn:12: 'sh.crad' is no event (did you mean sh.card?)`.
    """

    def __init__(self, reason: str, *, file: str = "", line: int = 0) -> None:
        """Store the reason and its place. `line` counts from 1; 0 stands for the complete file."""
        self.reason, self.file, self.line = reason, file, line
        place = f"{file}:{line}" if line else file
        super().__init__(f"{place}: {reason}" if place else reason)

    def at(self, file: str, line: int) -> "ScenarioError":
        """Return the same error with its place."""
        return ScenarioError(self.reason, file=file, line=line)


class RefusedGameError(ScenarioError):
    """The scenario names a game while a profile of the library is refused, perhaps that of this game.

    Policy: as for any scenario that is not valid; a list of scenarios leaves the file out, so that no other game's list
    depends on it.

    Example: `night.scn:2: 'TCP' is no game (did you mean TAB?); not loaded: three.toml: rules.deal.cites: ...`.
    """

    def at(self, file: str, line: int) -> "RefusedGameError":
        """Return the same error with its place."""
        return RefusedGameError(self.reason, file=file, line=line)


def unknown_word_error(word: str, what: str, known: Iterable[str]) -> ScenarioError:
    """Return the error for a `word` that is not a `what`, with the nearest of the `known` words."""
    choices = sorted(known)
    near = _by_name(word, choices) or nearest(word, choices, 0.5)
    hint = f"did you mean {near}?" if near else f"known: {', '.join(choices[:12])}"
    return ScenarioError(f"{word!r} is no {what} ({hint})")


def _by_name(word: str, choices: list[str]) -> str | None:
    """Return the choice whose name after the dot is that of `word`, or nearly, with the same source first.

    `kp.` in front is the dealer, `sh.` the shoe: one who forgets or confuses it means the same act.
    """
    source, dot, name = word.rpartition(".")
    same = [one for one in choices if dot and one.startswith(f"{source}.")]
    tails = {one.rpartition(".")[2]: one for one in (*choices, *same)}
    exact = tails.get(name) if dot or word not in choices else None
    other = nearest(name, sorted(tails), 0.7)
    return exact or nearest(word, same, 0.7) or (None if other is None else tails[other])
