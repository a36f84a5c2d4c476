"""Inputs that name a card in clear: by the fields of an act, or in a text that a person wrote.

Threat: a person who names a card that lies face down, as the damaged card of a deck or in the reason of a ruling. The
names of cards in English and in suit symbols are recognized; another wording is not.
"""

import re
from typing import Final

from pitwarden_client.events.floor import FtCardRemoved
from pitwarden_client.events.inputs import Act

WRITTEN: Final = ("reason", "ruling", "reference", "irregularity", "first", "second")
"""Fields of acts that hold text of a person."""

_RANK: Final = "(?:ace|king|queen|jack|ten|nine|eight|seven|six|five|four|three|two|deuce|10|[2-9])"
_SUIT: Final = "(?:clubs?|diamonds?|hearts?|spades?)"
_PATTERNS: Final = (
    # As the contract writes them: 10D, JKR; with a symbol, and with a blank between.
    r"(?<![A-Za-z0-9])(?:(?:A|K|Q|J|T|10|[2-9]) ?[CDHS]|JKR)(?![A-Za-z0-9])",
    "(?:A|K|Q|J|T|10|[2-9]|(?i:" + _RANK + "))[ -]?[\u2660-\u2667]|[\u2660-\u2667][ -]?(?:A|K|Q|J|T|10|[2-9])",
    "[\U0001f0a1-\U0001f0df]",
    rf"(?i:\b{_RANK}(?: of | |-){_SUIT}\b)|\b[AKQJT] of (?i:{_SUIT}\b)",
    # A rank alone tells a hand's value. Capitalized, King and Jack are names of people as well.
    r"\b(?:[Aa]ce|ACE|king|KING|queen|Queen|QUEEN|jack|JACK)s?\b",
)
_NAMED: Final = re.compile("|".join(_PATTERNS))


def text_names_card(text: str) -> bool:
    """Return whether `text` names a card."""
    return _NAMED.search(text) is not None


def names_card(act: Act) -> bool:
    """Return whether `act` names a card, in a field for it or in its text."""
    if isinstance(act, FtCardRemoved) and (act.face is not None or act.replaced_by is not None):
        return True
    texts = (getattr(act, field, "") for field in WRITTEN)
    return any(isinstance(text, str) and text_names_card(text) for text in texts)
