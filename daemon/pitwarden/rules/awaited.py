"""What clears an irregularity, in words: of each token that a case may await."""

from functools import lru_cache
from typing import Final

CLEARS: Final = {
    "round_end": "the wagers are returned and the round ends",
    "noted": "the floor's ruling",
    "confirmed": "the floor's confirmation",
    "secured": "the device is secured",
    "mode": "the way of dealing is keyed: {}",
    "mixed": "all cards are mixed again",
    "ten_destroyed": "the floorperson destroys the 10",
    "notified": "a casino supervisor is notified",
    "visible_told": "the floor says whether a player can see it",
    "card": "the next card is drawn",
    "burned": "one card is burned",
    "cut": "the cards are cut",
    "hands": "the hands are counted",
    "stub": "the stub is counted again",
    "boxes_agree": "the boxes are keyed",
    "in_the_deal": "the boxes are keyed",
    "unloaded": "the shoe is emptied",
    "card_removed": "the card is taken out of the deck",
    "shuffled": "{} is shuffled",
    "opening": "deck {} or a replacement has its full opening",
    "opened": "a new deck {} is opened",
    "returned": "deck {} leaves the table",
    "verified": "the floor verifies deck {}",
    "counted": "deck {} is counted whole",
    "inspected": "the floorperson inspects {}",
    "inspected_idle": "the floorperson inspects {} between rounds",
    "installed": "{} is on the table",
    "removed": "{} leaves the table",
    "started": "deck {} goes into the shuffler",
    "loaded": "deck {} goes into the shoe",
    "ib_settled": "the in-between wagers are settled",
    "antes_collected": "the antes are collected",
    "put_back": "the discards are back in the shoe",
    "spread": "deck {} is spread",
    "all_chosen": "each player has chosen a hand",
}


UNSAID: Final = "gone:"
"""A deck that left the table, or whose name a new one bears, is shuffled and counted no more: nobody is asked to."""


@lru_cache(maxsize=1024)
def words(awaits: tuple[str, ...]) -> str:
    """What must happen, in order; tokens with `|` between them are alternatives. At most 500 characters."""
    items = ([token for token in item.split("|") if not token.startswith(UNSAID)] for item in awaits)
    return "; then ".join(" or ".join(word(token) for token in item) for item in items)[:500]


def word(token: str) -> str:
    """One token, with what it is about behind a colon."""
    name, _, what = token.partition(":")
    return CLEARS.get(name, name).format(what or "the deck")
