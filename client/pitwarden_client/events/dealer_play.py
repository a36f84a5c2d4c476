"""Dealer acts on the deal, the decisions, the turned hands and the end of a round."""

from typing import Annotated, Literal

from pydantic import Field

from pitwarden_client.events.base import Box, Ident, Record

Boxes = Annotated[tuple[Box, ...], Field(max_length=16)]


class KpBoxes(Record):
    """The active boxes of this round, in deal order from the dealer's left."""

    act: Literal["kp.boxes"] = "kp.boxes"
    boxes: Boxes


class KpDeal(Record):
    """All wagers are in and dealing begins, where the text has no announcement (19:47-36.7(d))."""

    act: Literal["kp.deal"] = "kp.deal"


class KpChoice(Record):
    """A player kept the first hand or switched (13:69F-2B.7(f))."""

    act: Literal["kp.choice"] = "kp.choice"
    box: Box
    choice: Literal["keep", "switch"]


class KpDecision(Record):
    """A player's decision was called for a box."""

    act: Literal["kp.decision"] = "kp.decision"
    box: Box
    decision: Literal["hit", "stand", "double", "split", "surrender", "fold", "play"]


class KpDealt(Record):
    """The initial deal is complete in its regular order; its last card is the dealer's, face down (house order).

    Not keyed in a round whose deal was corrected.
    """

    act: Literal["kp.dealt"] = "kp.dealt"


class KpHoleUp(Record):
    """The dealer turned the hole card face up."""

    act: Literal["kp.hole_up"] = "kp.hole_up"


class KpDealerDraw(Record):
    """The next card is for the dealer's hand."""

    act: Literal["kp.dealer_draw"] = "kp.dealer_draw"


class KpReveal(Record):
    """The dealer turned a player's cards in settlement (13:69F-51.10(e)1)."""

    act: Literal["kp.reveal"] = "kp.reveal"
    box: Box


class KpDealerReveal(Record):
    """The dealer turned the dealer's seven (13:69F-51.10(d))."""

    act: Literal["kp.dealer_reveal"] = "kp.dealer_reveal"


class KpSpreadRequest(Record):
    """A player asked for the cards to be spread (13:69F-2B.4(i)2)."""

    act: Literal["kp.spread_request"] = "kp.spread_request"


class KpRoundEnd(Record):
    """All cards were collected into the discard rack; wagers are settled or returned. The round is over."""

    act: Literal["kp.round_end"] = "kp.round_end"


class KpDealer(Record):
    """A dealer started at the table."""

    act: Literal["kp.dealer"] = "kp.dealer"
    dealer: Ident
