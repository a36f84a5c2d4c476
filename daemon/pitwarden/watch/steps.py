"""Where a round stands, in words, by the last act that moved it. A table for people; the rules know more."""

from collections.abc import Callable, Mapping
from typing import Final

from pitwarden_client.events.base import Record
from pitwarden_client.events.dealer_cards import KpManualShuffle, KpStub
from pitwarden_client.events.dealer_play import (
    KpBoxes,
    KpDeal,
    KpDealerDraw,
    KpDealerReveal,
    KpDecision,
    KpHoleUp,
    KpReveal,
    KpRoundEnd,
)
from pitwarden_client.events.dealer_wagers import KpBonusSettled, KpClose, KpInsuranceSettled, KpNoMoreBets, KpOpen
from pitwarden_client.events.floor import FtTableClose, FtTableOpen

_STEPS: Final[Mapping[type[Record], str]] = {
    FtTableOpen: "the table is open",
    FtTableClose: "the table is closed",
    KpBoxes: "boxes {boxes} are in play",
    KpNoMoreBets: "no more bets: the deal",
    KpDeal: "the deal",
    KpOpen: "{window} is open",
    KpClose: "{window} is closed",
    KpDecision: "box {box}: {decision}",
    KpBonusSettled: "bonus wagers of box {box} are settled",
    KpInsuranceSettled: "insurance is settled",
    KpHoleUp: "the hole card is up",
    KpDealerDraw: "the dealer draws",
    KpDealerReveal: "the dealer's hand is up",
    KpReveal: "box {box} is up",
    KpStub: "the stub is counted: {count}",
    KpManualShuffle: "the dealer shuffles by hand",
    KpRoundEnd: "between rounds",
}
_WORDS: Final[Mapping[str, Callable[[object], str]]] = {
    "boxes": lambda boxes: ", ".join(map(str, boxes)) if isinstance(boxes, tuple) else str(boxes),
}


def step_of(act: Record) -> str:
    """The step that `act` brought about; empty for an act that moves no round."""
    words = _STEPS.get(type(act), "")
    return words.format_map({key: _WORDS.get(key, str)(value) for key, value in act})
