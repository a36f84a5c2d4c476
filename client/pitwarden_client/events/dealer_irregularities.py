"""Irregularities that the dealer keys: found cards, cards drawn in error, hands without their cards."""

from typing import Literal

from pitwarden_client.events.base import Box, Record, Text


class KpFaceUp(Record):
    """IRREGULARITY: the card just drawn was found face up in the shoe."""

    act: Literal["kp.face_up"] = "kp.face_up"


class KpTen(Record):
    """IRREGULARITY: the card just drawn is a 10."""

    act: Literal["kp.ten"] = "kp.ten"


class KpDrawnInError(Record):
    """IRREGULARITY: the card just drawn was drawn in error, its face exposed or not."""

    act: Literal["kp.drawn_in_error"] = "kp.drawn_in_error"
    exposed: bool


class KpRefuse(Record):
    """A player refused the exposed card (19:47-36.14(e))."""

    act: Literal["kp.refuse"] = "kp.refuse"
    box: Box


class KpDealerFirstMissed(Record):
    """IRREGULARITY: the dealer continued to deal without the dealer's own first card (19:47-36.14(d))."""

    act: Literal["kp.dealer_first_missed"] = "kp.dealer_first_missed"


class KpNoCards(Record):
    """IRREGULARITY: a box was dealt no cards (19:47-36.14(h))."""

    act: Literal["kp.no_cards"] = "kp.no_cards"
    box: Box


class KpOneCard(Record):
    """IRREGULARITY: a box was dealt one card only (19:47-36.14(h))."""

    act: Literal["kp.one_card"] = "kp.one_card"
    box: Box


class KpSkipped(Record):
    """IRREGULARITY: a box did not receive the card that it requested (19:47-36.14(i))."""

    act: Literal["kp.skipped"] = "kp.skipped"
    box: Box


class KpOption(Record):
    """A player's choice in an irregularity that leaves one: take the cards, or a dead hand."""

    act: Literal["kp.option"] = "kp.option"
    box: Box
    choice: Literal["take", "dead"]


class KpReaderBad(Record):
    """IRREGULARITY: the hole-card reader does not work (19:47-36.14(m))."""

    act: Literal["kp.reader_bad"] = "kp.reader_bad"


class KpMisplaced(Record):
    """IRREGULARITY: two cards lie in each other's place. Places are box and card, as `box2.1`, `dealer.2`."""

    act: Literal["kp.misplaced"] = "kp.misplaced"
    first: Text
    second: Text
