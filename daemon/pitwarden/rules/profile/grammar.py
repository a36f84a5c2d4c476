"""Number of nouns and verbs in a sentence with a count: the templates have the plural."""

import re
from typing import Final

_SINGULAR: Final = {"were": "was", "are": "is", "have": "has", "belong": "belongs"}
_VERB: Final = "|".join(_SINGULAR)
_ONE: Final = re.compile(
    rf"\b1 (?P<noun>card|discard|hand|round|minute|10)s\b(?P<deck> of (?:deck \S+|it))?(?: (?P<verb>{_VERB})\b)?"
    rf"|\b1 (?P<alone>{_VERB})\b"
)


def in_number(text: str) -> str:
    """Return `text` with the singular after a count of one: `1 card was drawn`, `1 card of deck A is booked`."""
    return _ONE.sub(_singular, text) if "1 " in text else text


def _singular(found: re.Match[str]) -> str:
    if found["alone"]:
        return f"1 {_SINGULAR[found['alone']]}"
    verb = f" {_SINGULAR[found['verb']]}" if found["verb"] else ""
    return f"1 {found['noun']}{found['deck'] or ''}{verb}"
