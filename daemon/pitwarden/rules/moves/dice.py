"""Craps: dice, wagers and their settlement as they are keyed (19:47-1.2(a))."""

from pitwarden_client.events.dealer_wagers import KpDice, KpDiceSettled, KpDiceWager

from pitwarden.rules.copying import replace
from pitwarden.rules.evaluation.craps import AFTER_COME_OUT, FROM_COME_OUT, PLACED, OnLayout, rolled
from pitwarden.rules.state.state import State, refuse

DiceAct = KpDice | KpDiceWager | KpDiceSettled


def moved(state: State, act: DiceAct) -> State:
    """`state` after one of these keys, which only a game with dice has."""
    match act:
        case KpDice():
            return _rolled(state, act)
        case KpDiceWager():
            return _placed(state, act)
        case _:
            return state


def _rolled(state: State, act: KpDice) -> State:
    faces = [face for face in (act.first, act.second) if face is not None]
    if faces and (len(faces) != 2 or sum(faces) != act.total):  # noqa: PLR2004  two dice
        return refuse(state, f"The dice do not make {act.total}: key both, or the total alone.", "come_out")
    hard = faces[0] == faces[1] if faces else None
    active = state.setup.policy.place_lose_on_comeout
    return replace(state, dice=rolled(state.dice, act.total, hard=hard, place_lose_on_comeout=active))


def _placed(state: State, act: KpDiceWager) -> State:
    point = state.dice.point
    if act.wager in FROM_COME_OUT and point:
        return refuse(state, "This wager is placed immediately before the come out roll.", act.wager)
    if act.wager in AFTER_COME_OUT and not point:
        return refuse(state, "This wager is placed after the come out roll.", act.wager)
    if (act.wager in PLACED) is (act.number is None):
        text = "A place bet is on 4, 5, 6, 8, 9 or 10." if act.wager in PLACED else "This wager is on no number."
        return refuse(state, text, act.wager)
    bet = OnLayout(act.wager, act.spot, act.number or 0, on=act.on)
    kept = tuple(
        one for one in state.dice.wagers if (one.wager, one.spot, one.number) != (bet.wager, bet.spot, bet.number)
    )  # a wager keyed again is raised, or called on or off
    return replace(state, dice=replace(state.dice, wagers=(*kept, bet)))
