"""What an outcome may rest on: public faces, keyed wagers; and how one is worded. A hidden face stops it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from pitwarden.events.faces import JOKER
from pitwarden.events.outputs import WagerOutcome
from pitwarden.rules.cards import is_blackjack
from pitwarden.rules.layout import surely
from pitwarden.rules.moves.choices import pair_of
from pitwarden.rules.moves.hands import dealer_cards, dealer_must_stand, public_faces
from pitwarden.rules.outcomes.attack import Compared
from pitwarden.rules.outcomes.pay import odds_of
from pitwarden.rules.parts import Draw
from pitwarden.rules.profile import Rule
from pitwarden.rules.state import State

KEYED: Final = ("kp.wager",)


def faces_of(state: State, cards: Sequence[Draw]) -> tuple[int, ...] | None:
    """The faces of `cards` when all are public cards that were read, else None."""
    faces = public_faces(state.round, cards)
    return faces if faces and min(faces) >= 0 and max(faces) < JOKER else None


def pair_faces(state: State, box: int) -> tuple[int, ...] | None:
    """The faces of the initial cards that `box` plays, None while one of them is hidden."""
    return faces_of(state, pair_of(state, box))


def up_face(state: State) -> tuple[int, ...] | None:
    """The dealer's first card face up, None while it is not surely that."""
    up = [draw for slot, draw in surely(state.setup, state.round, "dealer") if slot.up]
    return faces_of(state, up[:1])


def dealer_hand(state: State) -> tuple[int, ...] | None:
    """The dealer's whole hand, None while the hole card is down or the dealer has to draw."""
    return faces_of(state, dealer_cards(state)) if state.round.hole_up and dealer_must_stand(state) else None


def dealer_natural(state: State) -> bool | None:
    """Whether the dealer has a blackjack; None while the hole card is down."""
    faces = faces_of(state, dealer_cards(state)[:2]) if state.round.hole_up else None
    return None if faces is None or len(faces) != 2 else is_blackjack(faces)  # noqa: PLR2004  up card and hole card


def wagered(state: State, wager: str, box: int) -> bool:
    """Whether `box` has this wager, as far as is known: all have it where no wager is keyed in this round."""
    wagers = state.round.wagers
    return not wagers or not state.setup.keyed(KEYED) or f"{wager} {box}" in wagers


def outcome(state: State, rule: Rule, hand: str, wager: str, made: Compared) -> WagerOutcome:
    """The outcome of `wager` under `rule`, with what the table in force pays and the amounts that were keyed."""
    table = state.setup.pay_table(wager) if made.result == "win" else None
    pays = "" if table is None else table.pays(made.line) or table.pays("win")
    stake = _stake(state, hand, wager) if state.round.bets.stakes else None
    return _worded(rule, made, hand, wager, pays, table.cites if table is not None and pays else (), stake)


@lru_cache(maxsize=16_384)
def _worded(  # noqa: PLR0917  a cache key
    rule: Rule, made: Compared, hand: str, wager: str, pays: str, cites: tuple[str, ...], stake: int | None
) -> WagerOutcome:
    """The outcome in words, made once: the rows that follow in its round ask for it again."""
    odds = odds_of(pays) if made.result == "win" and stake is not None else None
    return WagerOutcome(
        hand=hand, wager=wager, result=made.result, line=made.line, pays=pays, catalogue=rule.clause,
        clauses=tuple(dict.fromkeys((*rule.cites, *cites)))[:8], basis=rule.basis, stake=stake,
        wins=None if odds is None or stake is None else int(stake * odds),
    )  # fmt: skip


def _stake(state: State, hand: str, wager: str) -> int | None:
    """What is staked on it, in cents; None when an amount was not keyed."""
    staked = [one for one in state.round.bets.stakes if one.wager == wager and f"box{one.box}" == hand]
    cents = [one.cents for one in staked if one.cents is not None]
    return sum(cents) if cents and len(cents) == len(staked) else None
