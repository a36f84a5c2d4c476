"""What an outcome may rest on: public faces, keyed wagers; and how one is worded. A hidden face stops it."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from pitwarden.events.faces import JOKER
from pitwarden.events.outputs import WagerOutcome
from pitwarden.rules.cards import is_blackjack
from pitwarden.rules.layout import certain, placed
from pitwarden.rules.moves.choices import pair_of
from pitwarden.rules.moves.hands import dealer_cards, dealer_must_stand, public_faces
from pitwarden.rules.outcomes.attack import Compared, Result
from pitwarden.rules.outcomes.pay import odds_of
from pitwarden.rules.parts import Draw
from pitwarden.rules.profile import Rule
from pitwarden.rules.state import State

KEYED: Final = ("kp.wager",)


def faces_of(state: State, cards: Sequence[Draw]) -> tuple[int, ...] | None:
    """The faces of `cards` when all are public cards that were read, else None."""
    faces = public_faces(state.round, cards)
    return faces if faces and all(0 <= face < JOKER for face in faces) else None


def pair_faces(state: State, box: int) -> tuple[int, ...] | None:
    """The faces of the initial cards that `box` plays, None while one of them is hidden."""
    return faces_of(state, pair_of(state, box))


def up_face(state: State) -> tuple[int, ...] | None:
    """The dealer's first card face up, None while it is not surely that."""
    sure = placed(state.setup, state.round)[: certain(state.setup, state.round)]
    up = [draw for slot, draw in sure if slot.target == "dealer" and slot.up]
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
    keyed = state.setup.keyed(KEYED) and bool(state.round.wagers)
    return f"{wager} {box}" in state.round.wagers if keyed else True


def outcome(state: State, rule: Rule, hand: str, wager: str, made: Compared) -> WagerOutcome:
    """The outcome of `wager` under `rule`, with what the table in force pays and the amounts that were keyed."""
    table = state.setup.pay_table(wager) if made.result == "win" else None
    pays = "" if table is None else table.pays(made.line) or table.pays("win")
    place = _Place(hand, wager, pays, table.cites if table is not None and pays else ())
    return _worded(rule, made, place, _amounts(state, hand, wager, pays, made.result))


class _Place(NamedTuple):
    hand: str
    wager: str
    pays: str
    cites: tuple[str, ...]


@lru_cache(maxsize=4096)
def _worded(rule: Rule, made: Compared, place: _Place, amounts: tuple[int | None, int | None]) -> WagerOutcome:
    """The outcome in words, made once: the rows that follow in its round ask for it again."""
    stake, wins = amounts
    return WagerOutcome(
        hand=place.hand, wager=place.wager, result=made.result, line=made.line, pays=place.pays, catalogue=rule.clause,
        clauses=tuple(dict.fromkeys((*rule.cites, *place.cites)))[:8], basis=rule.basis, stake=stake, wins=wins,
    )  # fmt: skip


def _amounts(state: State, hand: str, wager: str, pays: str, result: Result) -> tuple[int | None, int | None]:
    staked = [one for one in state.round.bets.stakes if one.wager == wager and f"box{one.box}" == hand]
    cents = [one.cents for one in staked if one.cents is not None]
    if not cents or len(cents) != len(staked):
        return None, None
    odds = odds_of(pays) if result == "win" else None
    return sum(cents), None if odds is None else int(sum(cents) * odds)
