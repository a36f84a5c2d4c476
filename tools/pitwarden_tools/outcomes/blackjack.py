"""Outcomes of the blackjack family by the texts: 36.5 to 36.10, 26.8 to 26.11, 2B.5, 2.26.

Not compared, since our sources lack the text: the wagers of double attack blackjack (26.5) that 26.8 to 26.11 leave
open. In Switch Hands, added wagers against the dealer's blackjack.
"""

from random import Random
from typing import Final

from pitwarden_tools.outcomes.family import BETWEEN, DOUBLE, FAMILY, SWITCH, TRIPLE, BoxHand, FamilyRound, shoe_of
from pitwarden_tools.outcomes.rounds import PlayedRound
from pitwarden_tools.outcomes.texts import EVEN, in_between, natural, points, rank, suit, suited_royals, triple_match

_BUST: Final = 22
_RED: Final = frozenset("HD")


def blackjack_rounds(game: str, rng: Random) -> tuple[list[str], list[PlayedRound]]:
    """Return the header of a random table, and the rounds that are dealt from one shoe."""
    family, decks = FAMILY[game], 8 if game != "IB" else 6
    boxes = 6 if game == "SH" else 7
    tables = {wager: rng.choice(("A", "B", "C", "D") if wager == "ib" else ("A", "B")) for wager in family.bonuses}
    paid = rng.random() < 0.5  # noqa: PLR2004  2B.5(a)3: the house's option
    header = ["title: random rounds", f"game: {game}", f"positions: {boxes}", f"in_set: {decks}"]
    header += ["devices: shoe, shuffler", "inputs: all"]
    header += [f"pay: {', '.join(f'{wager} {table}' for wager, table in tables.items())}"] if tables else []
    header += ["options: both_blackjacks=paid"] if game == "SH" and paid else []
    shoe, rounds = shoe_of(family, rng, decks), list[PlayedRound]()
    while len(shoe) > 150:  # noqa: PLR2004  more than a round takes, with the cutting card's quarter left
        chosen = tuple(sorted(rng.sample(range(1, boxes + 1), rng.choice((1, 2, 3)))))
        made = FamilyRound(family, rng, shoe, chosen, keyed=rng.random() < 0.6)  # noqa: PLR2004  most tables key
        made.play()
        _decide(made, tables, paid=paid)
        rounds.append(made.round)
    return header, rounds


def _decide(made: FamilyRound, tables: dict[str, str], *, paid: bool) -> None:
    """Add the outcomes of all wagers."""
    _bonuses(made, tables)
    if rank(made.dealer[0]) == "A" and made.game is not BETWEEN:
        _insurance(made)
    for hand in made.hands:
        if made.game is TRIPLE:
            _triple(made, hand)
        elif made.game is DOUBLE:
            _double(made, hand)
        elif made.game is SWITCH:
            _switch(made, hand, paid=paid)


def _bonuses(made: FamilyRound, tables: dict[str, str]) -> None:
    for box in made.boxes:
        one, other = made.firsts[box]
        for wager in made.game.bonuses:
            if made.keyed and (box, wager) not in made.stakes and made.stakes:
                continue
            match wager:
                case "suited_royals":
                    pays = suited_royals(one, other, tables[wager])
                case "triple_match":
                    pays = triple_match((one, other, made.dealer[0]), tables[wager])
                case _:
                    pays = in_between(one, other, made.dealer[0], tables[wager])
            made.round.wagered(f"box{box}", wager, "win" if pays else "lose", pays, made.stakes.get((box, wager)))


def _insurance(made: FamilyRound) -> None:
    """36.10(a), (c); 26.11(a), (c); 2B.5(f)."""
    up, hole = made.dealer[:2]
    won = natural((up, hole))
    suited = "5 to 1" if suit(up) == suit(hole) else "2 to 1"
    pays = {"TAB": suited, "DAB": "5 to 2", "SH": "2 to 1"}[made.game.name]
    hands = [f"box{box}" for box in sorted(made.insured)] if made.stakes else ["table"]
    for hand in hands:
        stake = made.stakes.get((int(hand[3:]), "insurance")) if made.stakes else None
        made.round.wagered(hand, "insurance", "win" if won else "lose", pays, stake)


def _triple(made: FamilyRound, hand: BoxHand) -> None:
    """36.5(a) to (d), 36.8(b), (c), 36.9(d)."""
    mine, theirs = points(hand.cards)[0], points(made.dealer)[0]
    if mine >= _BUST:
        result = "lose"
    elif mine == 21 or len(hand.cards) >= made.game.long:  # noqa: PLR2004  36.5(b)
        result = "win"
    elif theirs in {_BUST, mine}:
        result = "push"
    else:
        result = "win" if mine > theirs or theirs > _BUST else "lose"
    # 36.8(c), 36.9(d): with a blackjack the dealer collects the original wagers alone.
    added = "returned" if result == "lose" and mine < _BUST and natural(made.dealer[:2]) else result
    _stakes(made, hand, result, added, EVEN)


def _double(made: FamilyRound, hand: BoxHand) -> None:
    """26.8(a) of a surrendered wager, 26.9(c), 26.10(d) of added wagers; for the others 26.5 is not in our sources."""
    if hand.surrendered:
        up = rank(made.dealer[0])
        lost = up in {"A", "K", "Q", "J"} and natural(made.dealer[:2])
        # 26.8(a): "the player's wager(s)".
        for wager in (made.game.first, "doubleattack"):
            if wager == made.game.first or (hand.box, wager) in made.stakes:
                stake = made.stakes.get((hand.box, wager))
                made.round.wagered(hand.name, wager, "lose" if lost else "half", "", stake)
    else:
        made.round.silent |= {(hand.name, wager) for wager in (made.game.first, "doubleattack")}
    mine, dealers = points(hand.cards)[0], natural(made.dealer[:2])
    for wager, there in (("split", bool(hand.half)), ("double", hand.doubled)):
        if there and mine < 21 and dealers:  # noqa: PLR2004  below 21 the dealer's blackjack beats it
            made.round.wagered(hand.name, wager, "returned")
        elif there:
            made.round.silent.add((hand.name, wager))


def _switch(made: FamilyRound, hand: BoxHand, *, paid: bool) -> None:
    """2B.5(a), (b), (f)."""
    mine, theirs = points(hand.cards)[0], points(made.dealer)[0]
    own, dealers = natural(hand.cards) and not hand.split, natural(made.dealer)
    pays = EVEN
    if mine >= _BUST:
        result = "lose"
    elif own and dealers:
        result, pays = ("win", "1 to 2") if paid else ("push", "")
    elif own and theirs == 21:  # noqa: PLR2004  2B.5(b): "the same as the dealer", and no dealer's blackjack
        result = "push"
    elif dealers and mine == 21 and len(hand.cards) > 2:  # noqa: PLR2004  2B.5(b)
        result = "lose"
    elif dealers and mine == 21:  # noqa: PLR2004  21 in the two cards of a split pair: 2B.5(b) has it as a push
        result = "push"
    elif theirs >= _BUST or mine > theirs:
        result = "win"
        if own:
            one, other = hand.cards
            pays = "2 to 1" if (suit(one) in _RED) == (suit(other) in _RED) else "3 to 2"
    else:
        result = "push" if mine == theirs else "lose"
    if result == "lose" and dealers and mine < _BUST:
        made.round.silent |= {(hand.name, wager) for wager in ("double", "split")}
    _stakes(made, hand, result, result, pays)


def _stakes(made: FamilyRound, hand: BoxHand, result: str, added: str, pays: str) -> None:
    """Add the outcomes of a hand's own wagers, and of those added to it."""
    if not hand.half:
        others = [wager for wager in ("attack2", "attack3") if (hand.box, wager) in made.stakes]
        for wager in (made.game.first, *others):
            made.round.wagered(hand.name, wager, result, pays, made.stakes.get((hand.box, wager)))
    for wager, there in (("split", bool(hand.half)), ("double", hand.doubled)):
        if there:
            made.round.wagered(hand.name, wager, added, EVEN)
