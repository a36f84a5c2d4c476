"""Outcomes in the blackjack family: hands against the dealer, and optional wagers on the first cards.

Attack wagers, doubles, splits, surrender and insurance; suited royals, triple match and in-between.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final

from pitwarden.rules.evaluation.blackjack import (
    AGAINST_21,
    HandResult,
    blackjack_kind,
    hand_total,
    in_between_line,
    is_blackjack,
    player_may_draw,
    result_against,
    result_alone,
    suited_royals_line,
    triple_match_line,
)
from pitwarden.rules.outcomes.terms import WagerTerms, dealer_hand, dealer_natural, initial_pairs, known_faces, up_face
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.profile import ClauseRule, GameProfile
from pitwarden.rules.queries.hands import dealer_cards
from pitwarden.rules.queries.reader import answer_public, is_play_reopened
from pitwarden.rules.state.cards import PlayerHand
from pitwarden.rules.state.state import RulesState
from pitwarden_client.events.card_faces import rank_of
from pitwarden_client.events.outputs import WagerOutcome

ROWS: Final = declared(
    __name__,
    decides=("attack", "ib", "insurance", "original_only", "skipped", "suited_royals", "surrender", "triple_match"),
)


def attack_outcomes(state: RulesState, terms: WagerTerms) -> Iterator[WagerOutcome]:
    """Yield the outcomes of each hand's own wager and of those added to it.

    A hand is decided once its cards are public and, if the dealer's hand decides, the dealer's too.
    """
    rule = ROWS(state, "attack")
    if rule is None:
        return
    bets, split, dealer = (
        state.round.windows.bets,
        {hand.box for hand in state.round.play.hands if hand.half},
        dealer_hand(state),
    )
    for hand in state.round.play.hands:
        if hand.target in bets.dead:
            yield from _dead(state, terms, rule, hand)
            continue
        if hand.box in bets.surrendered:
            continue
        made = _compared(state, rule, hand, dealer, split=hand.box in split)
        # Another card in the hand changes all but a bust.
        open_yet = f"box{hand.box}" in state.round.unexplained and made is not None and made.line != "bust"
        if made is not None and not open_yet:
            yield from _wagers(state, terms, rule, hand, made)


def surrender_outcomes(state: RulesState, terms: WagerTerms) -> Iterator[WagerOutcome]:
    """Yield half of a surrendered wager at once, or its loss where the dealer turns a blackjack (26.8(a))."""
    rule, row = ROWS(state, "surrender"), ROWS(state, "attack")
    if rule is None or row is None or not rule.words("parked"):
        return
    for box in state.round.windows.bets.surrendered:
        sure = settles_now(state)
        natural = dealer_natural(state)
        if sure or natural is not None:
            # 26.8(a): a surrender settled before the hole card is shown stays at half, also when a blackjack follows.
            lost = natural is True and not sure
            made = HandResult("lose" if lost else "half", "surrender")
            # 26.8(a): "the player's wager(s)": what was added to the first wager is surrendered with it.
            for wager in (str(row.param("wager", default="")), *_others(state, row, box)):
                yield terms.outcome(rule, f"box{box}", wager, made)


def settles_now(state: RulesState) -> bool | None:
    """Return whether a surrendered wager is settled before the hole card is shown.

    The up card settles it, or the reader's answer that the dealer has no blackjack. None where the up card was not
    read, or its slot is not certain.
    """
    rule, up = ROWS(state, "surrender"), up_face(state)
    if rule is None or up is None:
        return None
    return rank_of(up[0]) not in rule.words("parked") or answer_public(state) is False


def insurance_outcomes(state: RulesState, terms: WagerTerms) -> Iterator[WagerOutcome]:
    """Yield insurance, the same for every box, once the hole card is shown with an ace.

    36.10(a), (c), 26.11(a), (c).
    """
    rule, keyed = ROWS(state, "insurance"), state.round.windows.keyed
    if rule is None or not ("open insurance" in keyed or "close insurance" in keyed):
        return
    up, natural = up_face(state), dealer_natural(state)
    if up is None or natural is None or rank_of(up[0]) != "A":
        return
    faces = known_faces(state, dealer_cards(state)[:2]) or ()
    suited = len({face // 13 for face in faces}) == 1
    line = "suited_dealer_blackjack" if suited and natural else "dealer_blackjack"
    made: HandResult = HandResult("win", line) if natural else HandResult("lose", "no_blackjack")
    boxes = [f"box{box}" for box in state.round.deal.active if terms.wagered("insurance", box)]
    for hand in boxes if state.round.windows.wagers else ["table"]:
        yield terms.outcome(rule, hand, "insurance", made)


def _compared(
    state: RulesState, rule: ClauseRule, hand: PlayerHand, dealer: tuple[int, ...] | None, *, split: bool
) -> HandResult | None:
    faces = known_faces(state, hand.cards)
    if faces is None or len(faces) < 2:  # noqa: PLR2004  a hand has two cards at least
        return None
    over = state.round.play.hole_up and not is_play_reopened(state.round)
    done = hand.done or hand.passed or over or not player_may_draw(hand_total(faces))
    made = result_alone(rule, faces, split=split, done=done)
    return made if made is not None or dealer is None else result_against(rule, faces, dealer, split=split)


def _wagers(
    state: RulesState, terms: WagerTerms, rule: ClauseRule, hand: PlayerHand, made: HandResult
) -> Iterator[WagerOutcome]:
    first = str(rule.param("wager", default=""))
    if made.line == "both_blackjacks" and state.setup.policy.both_blackjacks == "paid":
        made = HandResult("win", made.line)
    if made.line == AGAINST_21 and state.setup.policy.blackjack_against_21 == "win":
        made = HandResult("win", blackjack_kind(known_faces(state, hand.cards) or ()))
    yield from (
        terms.outcome(rule, hand.target, wager, made)
        for wager in ([] if hand.half else [first, *_others(state, rule, hand.box)])
    )
    added = [wager for wager, there in (("split", bool(hand.half)), ("double", hand.doubled)) if there]
    if not added:
        return
    # Where the dealer turns a blackjack, only the original wagers lose; what was added is returned.
    natural = is_blackjack(known_faces(state, dealer_cards(state)[:2]) or ()) if state.round.play.hole_up else False
    row = ROWS(state, "original_only")
    for wager in added:
        if natural and made.result == "lose" and made.line != "bust":
            if row is not None:
                yield terms.outcome(row, hand.target, wager, HandResult("returned", "dealer_blackjack"))
        else:
            yield terms.outcome(rule, hand.target, wager, made)


def _others(state: RulesState, rule: ClauseRule, box: int) -> list[str]:
    return [wager for wager in rule.words("also") if f"{wager} {box}" in state.round.windows.wagers]


def _dead(state: RulesState, terms: WagerTerms, rule: ClauseRule, hand: PlayerHand) -> Iterator[WagerOutcome]:
    row = ROWS(state, "skipped")
    if row is None or hand.half:
        return
    # 36.14(i): "the player's original wager(s)"; 26.15(i) names one.
    named = [wager for wager in _others(state, rule, hand.box) if wager in row.words("returned")]
    for wager in (str(rule.param("wager", default="")), *named):
        yield terms.outcome(row, hand.target, wager, HandResult("returned", "dead_hand"))


_TWO: Final[dict[str, Callable[[int, int], str]]] = {"suited_royals": suited_royals_line}
_THREE: Final[dict[str, Callable[[int, int, int], str]]] = {"triple_match": triple_match_line, "ib": in_between_line}


def bonus_outcomes(state: RulesState, terms: WagerTerms) -> Iterable[WagerOutcome]:
    """Return the bonus wagers of each box; those on two cards do not wait for the dealer's card (36.6(f), 2.26(c))."""
    if not _rules(state.setup.profile):
        return ()
    up = up_face(state)
    return _made(terms, initial_pairs(state), None if up is None else up[0])


@lru_cache(maxsize=1024)
def _made(terms: WagerTerms, cards: tuple[tuple[int, int, int], ...], dealers: int | None) -> tuple[WagerOutcome, ...]:
    """Return the outcomes, cached: on most later rows of the round, pairs and wagers are the same."""
    outcomes: list[WagerOutcome] = []
    for box, one, other in cards:
        for rule in _rules(terms.profile):
            line = _line(rule.key, one, other, dealers)
            if line is not None and terms.wagered(rule.key, box):
                compared = HandResult("win" if line else "lose", line or "none")
                outcomes.append(terms.outcome(rule, f"box{box}", rule.key, compared))
    return tuple(outcomes)


def _line(wager: str, one: int, other: int, dealers: int | None) -> str | None:
    """Return the line that public cards make, empty for none; None where `wager` waits for the dealer's card."""
    if wager in _TWO:
        return _TWO[wager](one, other)
    return None if dealers is None else _THREE[wager](one, other, dealers)


@lru_cache(maxsize=64)
def _rules(profile: GameProfile) -> tuple[ClauseRule, ...]:
    rules = (ROWS.of(profile, wager) for wager in (*_TWO, *_THREE))
    return tuple(rule for rule in rules if rule is not None)
