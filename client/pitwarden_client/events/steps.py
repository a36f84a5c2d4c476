"""Step of a round in words: what the last keyed act that moved a table means to people who read its screen.

The words are for people, on the screen of a terminal and in the pit console. The rules know more.
"""

from collections.abc import Mapping
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


def step_for_act(act: Record) -> str:
    """Return the step that `act` caused, as words; empty for an act that does not move a round."""
    if isinstance(act, KpBoxes):
        return f"boxes {', '.join(map(str, act.boxes))} are in play"
    return _STEPS.get(type(act), "").format_map(dict(act))
