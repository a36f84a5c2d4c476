"""Optional wagers on the first cards: suited royals, triple match, in-between; each once the cards are public."""

from collections.abc import Callable, Iterator
from typing import Final

from pitwarden.events.outputs import WagerOutcome
from pitwarden.rules.outcomes.attack import Compared
from pitwarden.rules.outcomes.spread import in_between
from pitwarden.rules.outcomes.table import outcome, pair_faces, up_face, wagered
from pitwarden.rules.outcomes.two_cards import suited_royals, triple_match
from pitwarden.rules.state import State

_TWO: Final[tuple[tuple[str, Callable[[int, int], str]], ...]] = (("suited_royals", suited_royals),)
_THREE: Final[tuple[tuple[str, Callable[[int, int, int], str]], ...]] = (
    ("triple_match", triple_match),
    ("ib", in_between),
)


def bonuses(state: State) -> Iterator[WagerOutcome]:
    """The bonus wagers of each box; those of two cards do not wait for the dealer's (36.6(f), 2.26(c))."""
    profile, up = state.setup.profile, up_face(state)
    rows = [profile.rule(wager) for wager, _ in (*_TWO, *_THREE)]
    if not any(rows):
        return
    for box in state.round.active:
        pair = pair_faces(state, box)
        if pair is None or len(pair) != 2:  # noqa: PLR2004  the initial two cards
            continue
        lines = [(wager, line(*pair)) for wager, line in _TWO]
        lines += [(wager, line(*pair, up[0])) for wager, line in _THREE] if up is not None else []
        for wager, line in lines:
            rule = profile.rule(wager)
            made = Compared("win" if line else "lose", line or "none")
            if rule is not None and wagered(state, wager, box):
                yield outcome(state, rule, f"box{box}", wager, made)
