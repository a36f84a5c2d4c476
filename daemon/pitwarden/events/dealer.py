"""What the dealer keys: the minimal vocabulary that places cards and closes windows (rules catalogue, section E)."""

from typing import Annotated, Literal

from pydantic import Field

from pitwarden.events.base import Box, Count, Ident, Record, Text

Boxes = Annotated[tuple[Box, ...], Field(max_length=16)]
Window = Literal["attack2", "attack3", "insurance", "doubleattack", "ib"]
WagerKind = Literal[
    "first_attack", "attack2", "attack3", "suited_royals", "triple_match", "insurance", "double", "split",
    "ante", "blind", "play", "flush_bonus", "progressive", "ib", "doubleattack", "blackjack", "bonus",
]  # fmt: skip
DiceWager = Literal["pass", "dont_pass", "come", "dont_come", "place_win", "place_lose", "four_hard"]
PlaceNumber = Literal[4, 5, 6, 8, 9, 10]
Face = Annotated[int, Field(ge=1, le=6)]
Spot = Annotated[int, Field(ge=1, le=24)]
SettledAs = Literal["win", "lose", "push", "returned", "half"]
Half = Literal["", "b", "c", "d"]
"""Which hand of a box after splits: the first, then those that the splits made."""


class KpBoxes(Record):
    """The active boxes of this round, in deal order from the dealer's left."""

    act: Literal["kp.boxes"] = "kp.boxes"
    boxes: Boxes


class KpNoMoreBets(Record):
    """The dealer announced that no more bets are taken (13:69F-51.6(b))."""

    act: Literal["kp.no_more_bets"] = "kp.no_more_bets"


class KpDeal(Record):
    """All wagers are in and dealing begins, where the text has no announcement (19:47-36.7(d))."""

    act: Literal["kp.deal"] = "kp.deal"


class KpClose(Record):
    """A wager window closed: each player placed or declined."""

    act: Literal["kp.close"] = "kp.close"
    window: Window


class KpOpen(Record):
    """A wager window opened."""

    act: Literal["kp.open"] = "kp.open"
    window: Window


class KpWager(Record):
    """A wager of a kind was placed on a box; amounts are not sensed unless keyed (in cents).

    `bettor`: whose, counted from the dealer's side of the box; the first calls the decisions (19:47-36.12(c)).
    """

    act: Literal["kp.wager"] = "kp.wager"
    wager: WagerKind
    box: Box
    cents: Annotated[int, Field(ge=0, le=10**12)] | None = None
    bettor: Annotated[int, Field(ge=1, le=9)] = 1


class KpDecision(Record):
    """A player's decision was called for a box."""

    act: Literal["kp.decision"] = "kp.decision"
    box: Box
    decision: Literal["hit", "stand", "double", "split", "surrender", "fold", "play"]


class KpBonusSettled(Record):
    """The bonus wagers of a box were announced and settled (19:47-36.7(f))."""

    act: Literal["kp.bonus_settled"] = "kp.bonus_settled"
    box: Box


class KpInsuranceSettled(Record):
    """Losing insurance wagers were collected (19:47-36.10(d))."""

    act: Literal["kp.insurance_settled"] = "kp.insurance_settled"


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


class KpSettled(Record):
    """A wager of a box was settled; how, if that is keyed, and of which hand after splits."""

    act: Literal["kp.settled"] = "kp.settled"
    box: Box
    wager: WagerKind
    result: SettledAs | None = None
    hand: Half | None = None


class KpRoundEnd(Record):
    """All cards were collected into the discard rack; wagers are settled or returned. The round is over."""

    act: Literal["kp.round_end"] = "kp.round_end"


class KpCollected(Record):
    """The cards of a deck were placed in the discard rack (two-deck games)."""

    act: Literal["kp.collected"] = "kp.collected"
    deck: Ident


class KpStub(Record):
    """The stub was counted face down on the layout (13:69F-51.7(e))."""

    act: Literal["kp.stub"] = "kp.stub"
    count: Count


class KpHands(Record):
    """The cards of each hand were counted, in deal order, the dealer's area last (13:69F-51.7(e)2)."""

    act: Literal["kp.hands"] = "kp.hands"
    counts: Annotated[tuple[Count, ...], Field(min_length=1, max_length=8)]


class KpManualShuffle(Record):
    """A deck or set was shuffled by hand; no deck named means the one that is not in a shuffler."""

    act: Literal["kp.manual_shuffle"] = "kp.manual_shuffle"
    deck: Ident | None = None


class KpCut(Record):
    """The cards were cut: by which box, or by the dealer, and below how many cards from the top (19:47-36.4(e))."""

    act: Literal["kp.cut"] = "kp.cut"
    by: Box | Literal["dealer"]
    position: Count | None = None


class KpMixed(Record):
    """The cards were washed and mixed again after one was exposed (19:47-36.3(c))."""

    act: Literal["kp.mixed"] = "kp.mixed"


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


class KpDealer(Record):
    """A dealer came to the table."""

    act: Literal["kp.dealer"] = "kp.dealer"
    dealer: Ident


class KpMode(Record):
    """The cards are dealt this way from here on."""

    act: Literal["kp.mode"] = "kp.mode"
    mode: Literal["manual_shoe", "auto_shoe", "hand"]


class KpAdmit(Record):
    """The house admits a box that skipped a round (19:47-36.5(h))."""

    act: Literal["kp.admit"] = "kp.admit"
    box: Box


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
    """IRREGULARITY: the dealer dealt on without a first card of the dealer's own (19:47-36.14(d))."""

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
    """IRREGULARITY: a box did not get the card that it asked for (19:47-36.14(i))."""

    act: Literal["kp.skipped"] = "kp.skipped"
    box: Box


class KpOption(Record):
    """A player's choice in an irregularity that leaves one: take the cards, or a dead hand."""

    act: Literal["kp.option"] = "kp.option"
    box: Box
    choice: Literal["take", "dead"]


class KpExposedInMix(Record):
    """IRREGULARITY: a card was exposed while the cards were mixed (19:47-36.3(c))."""

    act: Literal["kp.exposed_in_mix"] = "kp.exposed_in_mix"


class KpForeignBack(Record):
    """IRREGULARITY: the card just drawn has another back."""

    act: Literal["kp.foreign_back"] = "kp.foreign_back"


class KpReaderBad(Record):
    """IRREGULARITY: the hole-card reader does not work (19:47-36.14(m))."""

    act: Literal["kp.reader_bad"] = "kp.reader_bad"


class KpMisplaced(Record):
    """IRREGULARITY: two cards lie in each other's place, named by box and card, as `box2.1`, `dealer.2`."""

    act: Literal["kp.misplaced"] = "kp.misplaced"
    first: Text
    second: Text


class KpChoice(Record):
    """A player kept the first hand or switched (13:69F-2B.7(f))."""

    act: Literal["kp.choice"] = "kp.choice"
    box: Box
    choice: Literal["keep", "switch"]


class KpIbSettled(Record):
    """All in-between wagers are settled (19:47-2.26(e))."""

    act: Literal["kp.ib_settled"] = "kp.ib_settled"


class KpAntesCollected(Record):
    """All antes are collected (13:69F-2B.7(e))."""

    act: Literal["kp.antes_collected"] = "kp.antes_collected"


class KpSpreadRequest(Record):
    """A player asked for the cards to be spread (13:69F-2B.4(i)2)."""

    act: Literal["kp.spread_request"] = "kp.spread_request"


class KpDice(Record):
    """The dice were thrown: their total, and the face of each where that was looked at (19:47-1.2)."""

    act: Literal["kp.dice"] = "kp.dice"
    total: Annotated[int, Field(ge=2, le=12)]
    first: Face | None = None
    second: Face | None = None


class KpDiceWager(Record):
    """A wager at craps was placed, or called on; `number` for place bets alone, `spot` tells players apart."""

    act: Literal["kp.dice_wager"] = "kp.dice_wager"
    wager: DiceWager
    number: PlaceNumber | None = None
    spot: Spot = 1
    on: bool = False


class KpDiceSettled(Record):
    """A wager at craps was settled, and how."""

    act: Literal["kp.dice_settled"] = "kp.dice_settled"
    wager: DiceWager
    result: Literal["win", "lose", "void"]
    number: PlaceNumber | None = None
    spot: Spot = 1


DealerAct = (
    KpBoxes | KpNoMoreBets | KpDeal | KpClose | KpOpen | KpWager | KpDecision | KpBonusSettled | KpInsuranceSettled
    | KpHoleUp | KpDealerDraw | KpReveal | KpDealerReveal | KpSettled | KpRoundEnd | KpCollected | KpStub | KpHands
    | KpManualShuffle | KpCut | KpMixed | KpReshuffle | KpIdleSpread | KpShort | KpBurnRequest | KpDealer | KpMode
    | KpAdmit | KpFaceUp | KpTen | KpDrawnInError | KpRefuse | KpDealerFirstMissed | KpNoCards | KpOneCard | KpSkipped
    | KpOption | KpExposedInMix | KpForeignBack | KpReaderBad | KpMisplaced | KpChoice | KpIbSettled
    | KpAntesCollected | KpSpreadRequest | KpDice | KpDiceWager | KpDiceSettled
)  # fmt: skip
