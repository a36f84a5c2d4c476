"""Options of a player whose cards were not dealt as due: 36.14(h), (i)."""

from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.refusals import refusal
from pitwarden.rules.queries.layout import deal_template
from pitwarden.rules.state.cards import PlayerHand
from pitwarden.rules.state.round import RoundState
from pitwarden.rules.state.state import RulesState, add_notice, refuse_input
from pitwarden.rules.transitions.hands import give_card, remove_card, serve_waiting_cards
from pitwarden_client.events.dealer_irregularities import KpOption

ROWS: Final = declared(__name__, decides=("no_cards", "skipped"))


def apply_skipped(state: RulesState, box: int) -> RulesState:
    """Return `state` after a box did not get the card that it requested: others are dealt to first (36.14(i))."""
    played = _given_back(state, box)
    owed = tuple(hand.target for hand in played.play.hands if hand.box == box and hand.target in played.play.asked)
    asked = tuple(target for target in played.play.asked if target not in owed)
    marked = replace(
        played,
        play=replace(played.play, asked=asked),
        exceptions=replace(
            played.exceptions, skipped=(*played.exceptions.skipped, *owed), owed=(*played.exceptions.owed, box)
        ),
    )
    state = replace(state, round=marked)
    return add_notice(serve_waiting_cards(state), ROWS(state, "skipped"), "option", box)


def _given_back(state: RulesState, box: int) -> RoundState:
    """Return the round with the last card moved from this box to the other hand that had requested one.

    The layout gave the card to this box, and the key reports that this box got none.
    """
    played, card = state.round, state.shoe.last
    first = next((hand for hand in played.play.hands if hand.box == box and card in hand.cards[2:]), None)
    # Only the card dealt last can be meant, and only while another hand had requested one as well.
    if first is None or card is None or card != played.exceptions.contested or not played.play.asked:
        return played
    removed = remove_card(played, card)
    taken = replace(state, round=replace(removed, play=replace(removed.play, asked=played.play.asked[1:])))
    made = give_card(taken, played.play.asked[0], card).round
    return replace(made, play=replace(made.play, asked=(first.target, *made.play.asked)))


def apply_one_card(state: RulesState, box: int) -> RulesState:
    """Return `state` after a box was dealt only one card: it may have the second after all others (36.14(h))."""
    return add_notice(replace(state, round=_missed(state, box)), ROWS(state, "no_cards"), "one", box)


def _missed(state: RulesState, box: int) -> RoundState:
    """Return the round with a box that has one card.

    With as many cards out as without its second card, the hole card is among them.
    """
    made = replace(
        state.round,
        deal=replace(state.round.deal, options=(*state.round.deal.options, box)),
        exceptions=replace(state.round.exceptions, one_cards=state.round.exceptions.one_cards + 1),
    )
    out = not made.deal.late and _beyond_others(state, made) == 1
    return replace(made, deal=replace(made.deal, hole_out=(*made.deal.hole_out, box))) if out else made


def _beyond_others(state: RulesState, played: RoundState) -> int:
    """Return how many cards were dealt since all others have their second: the hole card, late second cards."""
    waiting = replace(
        played,
        deal=replace(played.deal, single=(*played.deal.single, *played.deal.options, *played.deal.late), late=()),
    )
    plan = deal_template(state.setup, waiting)
    return 0 if plan is None else len(played.deal.dealt) - len(plan.slots) + 1


def apply_option(state: RulesState, act: KpOption) -> RulesState:
    """Return `state` after the player's choice: a dead hand, or the cards later."""
    played = state.round
    if act.box not in (*played.deal.options, *played.exceptions.owed) and state.setup.keyed(
        ("kp.one_card", "kp.skipped")
    ):
        return refuse_input(state, refusal("no_option", box=act.box), ROWS(state, "skipped"))
    waiting = tuple(box for box in played.deal.options if box != act.box)
    if act.box in played.deal.options and not _drawn(played):
        return _second_card(state, replace(played, play=replace(played.play, hands=())), act)
    if act.choice == "dead":
        owed = tuple(box for box in played.exceptions.owed if box != act.box)
        state = _dead(
            replace(
                state,
                round=replace(
                    played, deal=replace(played.deal, options=waiting), exceptions=replace(played.exceptions, owed=owed)
                ),
            ),
            act.box,
        )
        return add_notice(state, ROWS(state, "skipped"), "dead", act.box)
    # 36.14(i): the cards are dealt "prior to the dealer revealing his or her hole card".
    if played.play.hole_up or played.play.hole_held:
        return refuse_input(state, refusal("hole_card_shown"), ROWS(state, "skipped"))
    if act.box in played.deal.options:
        return refuse_input(state, refusal("players_have_drawn"), ROWS(state, "no_cards"))
    if played.play.hands:
        return serve_waiting_cards(
            replace(
                state,
                round=replace(
                    played, exceptions=replace(played.exceptions, taking=(*played.exceptions.taking, act.box))
                ),
            )
        )
    return _second_card(state, _missed(state, act.box), act)


def _drawn(played: RoundState) -> bool:
    """Return whether any player's hand was played on."""
    more = any(hand.done or hand.half or len(hand.cards) > 2 for hand in played.play.hands)  # noqa: PLR2004  initial two cards
    return bool(played.play.asked) or more


def _second_card(state: RulesState, played: RoundState, act: KpOption) -> RulesState:
    """Return `state` after a box with one card takes its second after all others, or continues without (36.14(h)).

    The box keeps its option, and no slot is certain, where the log does not show which card that is out is the hole
    card.
    """
    waiting = replace(
        played, deal=replace(played.deal, options=tuple(box for box in played.deal.options if box != act.box))
    )
    if act.choice == "take":
        # World: the hole card is among the cards after the others' second cards. Any of them may be it, so none is
        # placed.
        unclear = act.box not in played.deal.hole_out and _beyond_others(state, played) > 0
        return replace(
            state,
            round=played
            if unclear
            else replace(waiting, deal=replace(waiting.deal, late=(*played.deal.late, act.box))),
        )
    bets = replace(played.windows.bets, dead=(*played.windows.bets.dead, f"box{act.box}"))
    state = replace(
        state,
        round=replace(
            waiting,
            deal=replace(waiting.deal, single=(*played.deal.single, act.box)),
            windows=replace(waiting.windows, bets=bets),
        ),
    )
    return add_notice(state, ROWS(state, "no_cards"), "declined", act.box)


def _dead(state: RulesState, box: int) -> RulesState:
    """Return `state` with a dead hand.

    A hand that was dealt keeps its slots and decides no wager any more; a box that was not dealt to gets none.
    """
    played = state.round
    if not played.play.hands:
        out = played.deal.out if box in played.deal.out else (*played.deal.out, box)
        return replace(state, round=replace(played, deal=replace(played.deal, out=out)))
    targets = {hand.target for hand in played.play.hands if hand.box == box}
    missed = targets & set(played.exceptions.skipped) or targets

    def called(hand: PlayerHand) -> PlayerHand:
        return replace(hand, done=True) if hand.target in missed else hand

    rest = replace(
        played,
        play=replace(
            played.play,
            hands=tuple(map(called, played.play.hands)),
            asked=tuple(target for target in played.play.asked if target not in missed),
        ),
        exceptions=replace(
            played.exceptions, skipped=tuple(target for target in played.exceptions.skipped if target not in missed)
        ),
        windows=replace(
            played.windows, bets=replace(played.windows.bets, dead=(*played.windows.bets.dead, *sorted(missed)))
        ),
    )
    return serve_waiting_cards(replace(state, round=rest))
