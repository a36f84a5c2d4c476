"""Dealer acts on decks and counts: the stub, the hands, shuffles by hand, the cut, the way of dealing."""

from typing import Annotated, Literal

from pydantic import Field

from pitwarden_client.events.base import Box, Count, Ident, Record


class KpStub(Record):
    """The stub was counted face down on the layout (13:69F-51.7(e))."""

    act: Literal["kp.stub"] = "kp.stub"
    count: Count


class KpHands(Record):
    """The cards of each hand were counted, in deal order, the dealer's area last (13:69F-51.7(e)2)."""

    act: Literal["kp.hands"] = "kp.hands"
    counts: Annotated[tuple[Count, ...], Field(min_length=1, max_length=8)]


class KpManualShuffle(Record):
    """A deck or set was shuffled by hand; without a deck, the one that is not in a shuffler."""

    act: Literal["kp.manual_shuffle"] = "kp.manual_shuffle"
    deck: Ident | None = None


class KpMixed(Record):
    """The cards were washed and mixed again after one was exposed (19:47-36.3(c))."""

    act: Literal["kp.mixed"] = "kp.mixed"


class KpExposedInMix(Record):
    """IRREGULARITY: a card was exposed while the cards were mixed (19:47-36.3(c))."""

    act: Literal["kp.exposed_in_mix"] = "kp.exposed_in_mix"


class KpCut(Record):
    """The cards were cut: by a box or by the dealer, and at how many cards from the top (19:47-36.4(e))."""

    act: Literal["kp.cut"] = "kp.cut"
    by: Box | Literal["dealer"]
    position: Count | None = None


class KpReshuffle(Record):
    """The house reshuffles after this round at its discretion (19:47-36.4(g))."""

    act: Literal["kp.reshuffle"] = "kp.reshuffle"


class KpIdleSpread(Record):
    """No gaming activity: the cards were spread on the table (19:47-36.4(h))."""

    act: Literal["kp.idle_spread"] = "kp.idle_spread"


class KpShort(Record):
    """The shoe ran out with cards still to deal (19:47-36.14(g))."""

    act: Literal["kp.short"] = "kp.short"


class KpBurnRequest(Record):
    """A player asked to see the burn card (19:47-36.7(c))."""

    act: Literal["kp.burn_request"] = "kp.burn_request"


class KpForeignBack(Record):
    """IRREGULARITY: the card just drawn has another back."""

    act: Literal["kp.foreign_back"] = "kp.foreign_back"


class KpMode(Record):
    """The way of dealing from here on."""

    act: Literal["kp.mode"] = "kp.mode"
    mode: Literal["manual_shoe", "auto_shoe", "hand"]


class KpAdmit(Record):
    """The house admits a box that skipped a round (19:47-36.5(h))."""

    act: Literal["kp.admit"] = "kp.admit"
    box: Box
