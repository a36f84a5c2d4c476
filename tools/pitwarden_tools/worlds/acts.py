"""Inputs of the terminals that rows of the oracle stand for."""

from typing import Final

from pitwarden_client.events import floor as ft
from pitwarden_client.events.dealer_cards import KpBurnRequest
from pitwarden_client.events.dealer_irregularities import (
    KpDrawnInError,
    KpFaceUp,
    KpMisplaced,
    KpNoCards,
    KpOneCard,
    KpOption,
    KpRefuse,
    KpSkipped,
    KpTen,
)
from pitwarden_client.events.dealer_play import (
    KpBoxes,
    KpChoice,
    KpDeal,
    KpDealerDraw,
    KpDealerReveal,
    KpDealt,
    KpDecision,
    KpHoleUp,
    KpReveal,
    KpRoundEnd,
)
from pitwarden_client.events.dealer_wagers import (
    KpAntesCollected,
    KpBonusSettled,
    KpClose,
    KpIbSettled,
    KpNoMoreBets,
    KpOpen,
    KpWager,
)
from pitwarden_client.events.inputs import Act
from pitwarden_tools.worlds.rows import WorldRow

_SIMPLE: Final[dict[str, Act]] = {
    "deal": KpDeal(), "no_more_bets": KpNoMoreBets(), "dealt": KpDealt(), "face_up": KpFaceUp(),
    "hole_up": KpHoleUp(), "dealer_draw": KpDealerDraw(), "round_end": KpRoundEnd(), "ten": KpTen(),
    "burn_request": KpBurnRequest(), "ib_settled": KpIbSettled(), "dealer_reveal": KpDealerReveal(),
    "antes_collected": KpAntesCollected(), "ten_refuted": ft.FtTenRefuted(),
}  # fmt: skip


def _swap(places: tuple[int, ...]) -> Act:
    box, card, other, its = places
    first, second = (f"box{whose}" if whose else "dealer" for whose in (box, other))
    return KpMisplaced(first=f"{first}.{card}", second=f"{second}.{its}")


def _about_box(word: str, more: str, box: int) -> list[Act]:
    """Return the inputs of a box or a window; a forgotten card is keyed with its player's choice."""
    match word:
        case "one_card" | "declined":
            choice = "take" if word == "one_card" else "dead"
            return [KpOneCard(box=box), KpOption.model_validate({"box": box, "choice": choice})]
        case "skipped" | "skipped_dead":
            option = "take" if word == "skipped" else "dead"
            return [KpSkipped(box=box), KpOption.model_validate({"box": box, "choice": option})]
        case "refuse":
            return [KpRefuse(box=box)]
        case "no_cards":
            return [KpNoCards(box=box)]
        case "bonus_settled":
            return [KpBonusSettled(box=box)]
        case "reveal":
            return [KpReveal(box=box)]
        case "open" | "close":
            model = KpOpen if word == "open" else KpClose
            return [model.model_validate({"window": more})]
        case "decision":
            return [KpDecision.model_validate({"box": box, "decision": more})]
        case "choice":
            return [KpChoice.model_validate({"box": box, "choice": more})]
        case _:
            return [KpWager.model_validate({"wager": more, "box": box})]


def acts_of(row: WorldRow) -> list[Act]:
    """Return the inputs; not for a new dealer, a retraction and a new epoch, which depend on the log before."""
    word, _, more = row.name.partition(" ")
    about, box = row.about, row.about if isinstance(row.about, int) else 1
    if row.name in _SIMPLE:
        return [_SIMPLE[row.name]]
    if row.name == "drawn_in_error":
        return [KpDrawnInError(exposed=about == "exposed")]
    if isinstance(about, tuple):
        return [_swap(about) if word == "misplaced" else KpBoxes(boxes=about)]
    return _about_box(word, more, box)
