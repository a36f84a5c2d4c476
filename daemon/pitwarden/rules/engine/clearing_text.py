"""Text of what clears an irregularity: its clearing conditions as published facts, and in words."""

from functools import lru_cache
from typing import Final

from pitwarden.rules.profile.facts import UNSAID, ClearingStep, Fact, fact_words
from pitwarden_client.events.outputs import ClearingFact

_STEPS: Final = 64
_ALTERNATIVES: Final = 32
_LETTERS: Final = 500
"""Bounds of the contract. A table of eight decks and sixteen devices stays below the first two."""


@lru_cache(maxsize=1024)
def clearing_steps(awaits: tuple[ClearingStep, ...]) -> tuple[tuple[ClearingFact, ...], ...]:
    """Return the open clearing conditions as published: steps in order, each with its alternatives."""
    steps = [tuple(_published(one) for one in step if one.kind != UNSAID)[:_ALTERNATIVES] for step in awaits]
    return tuple(step for step in steps if step)[:_STEPS]


def remedy_text(steps: tuple[tuple[ClearingFact, ...], ...]) -> str:
    """Return the steps as one sentence of at most 500 characters."""
    return "; then ".join(" or ".join(fact_words(fact.kind, fact.subject) for fact in step) for step in steps)[
        :_LETTERS
    ]


def _published(fact: Fact) -> ClearingFact:
    return ClearingFact(kind=fact.kind, subject=fact.subject or None)
