"""The nearest known word to one that is misspelt, for the end of a refusal.

Two letters in the wrong order are the slip of a hand that types, so a word that they explain goes before one that is
merely similar: `akc` is `ack`, not `ask`.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

# Similarity, 0 to 1, from which a word is suggested. It is difflib's own: a typical slip is above, another word below.
SIMILAR: Final = 0.6


def nearest(word: str, known: Iterable[str], similar: float = SIMILAR) -> str | None:
    """Return the nearest of the `known` words to `word`; None when none is at least `similar`."""
    words = list(known)
    swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}
    for found in get_close_matches(word, [one for one in words if one in swapped], 1, similar):
        return found
    return next(iter(get_close_matches(word, words, 1, similar)), None)


def nearest_hint(word: str, known: Iterable[str], form: str = "{}") -> str:
    """Return the nearest of the `known` words, written in `form`, as the end of a sentence; empty when none is near."""
    found = nearest(word, known)
    return "" if found is None else f" (did you mean {form.format(found)}?)"
