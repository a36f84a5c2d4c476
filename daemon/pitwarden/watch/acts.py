"""What a person may key to settle an irregularity: the act that its words ask for, ready to be sent or corrected."""

import re
from collections.abc import Sequence
from typing import Final

from pitwarden.events.outputs import Irregularity

_BY_WORDS: Final[Sequence[tuple[str, str]]] = (
    (r"the floorperson destroys the 10", "ft.ten_destroyed"),
    (r"a casino supervisor is notified", "ft.notified"),
    (r"the floor says whether a player can see it", "ft.reader_visible visible=true"),
    (r"the floorperson inspects (\S+)(?: between rounds)?", "ft.inspect device={0} ok=true"),
    (r"the floor verifies deck (\S+)", "ft.deck_verified deck={0}"),
    (r"deck (\S+) is counted whole", "ft.deck_verified deck={0} count="),
    (r"deck (\S+) leaves the table", "ft.deck_returned deck={0}"),
    (r"a new deck (\S+) is opened", "ft.deck_opened deck={0}"),
    (r"deck (\S+) or a replacement has its full opening", "ft.opening deck={0}"),
    (r"the card is taken out of the deck", "ft.card_removed deck={deck} count=1 reason=foreign"),
    (r"(\S+) leaves the table", "ft.device_removed device={0}"),
    (r"the floor's confirmation", "ft.confirmed irregularity={ref}"),
    (r"the device is secured", "ft.table_open secured=true"),
    (r"the floor's ruling", 'ft.settle_note irregularity={ref} ruling=""'),
)
"""By what clears an irregularity, in the order in which they are tried."""


def clearing(case: Irregularity) -> str:
    """The act that the first of its conditions asks of the floor; empty when the table itself clears it by playing."""
    for condition in re.split(r"; then | or (?!a replacement)", case.clears):
        for words, act in _BY_WORDS:
            found = re.fullmatch(words, condition.strip())
            if found is not None:
                return act.format(*found.groups(), ref=case.ref, deck=case.deck or "")
    return ""


def refuting(case: Irregularity) -> str:
    """The act that refutes it, with its reason still to be written."""
    return f'refute irregularity={case.ref} reason=""'
