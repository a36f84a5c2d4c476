"""Cards are shuffled, and cut where a person shuffled them, before they are dealt (36.4, 51.4); what is in the shoe."""

from collections.abc import Iterator

from pitwarden.rules.checks.check_entry import BY_HAND, FIRST, OF_SHOE, check
from pitwarden.rules.checks.context import CheckContext, find_case, is_dealt_by_hand, round_key
from pitwarden.rules.profile.facts import REST, deck_fact, fact
from pitwarden.rules.profile.grammar import device_words
from pitwarden.rules.queries.decks import is_which_unknown, removal_of
from pitwarden.rules.queries.hands import is_dealers_turn, undecided_hands
from pitwarden.rules.queries.layout import cards_missing
from pitwarden.rules.queries.reader import blackjack_said
from pitwarden.rules.state.deck_in_hand import rotating
from pitwarden.rules.state.state import Finding
from pitwarden.rules.transitions.shoe import continues_shoe
from pitwarden_client.events.device import ShoeLoaded


@check("shuffles.unshuffled_load", place=430, rules=("unshuffled_load",), on=("shoe.loaded",))
def unshuffled_load(seen: CheckContext) -> Iterator[Finding]:
    """Report that the shoe is loaded with cards that were not shuffled since they were dealt."""
    rule, data = seen.rule("unshuffled_load"), seen.entry.data
    if rule is None or not isinstance(data, ShoeLoaded):
        return
    if seen.before.completes(data.deck) or continues_shoe(seen.before, data):
        return
    if not seen.before.tells_of_shuffles:
        return
    deck, before = seen.after.deck(data.deck), seen.before
    cycling = any(device.busy and device.deck == data.deck for device in before.devices)
    opened = deck.opening not in {"", "bad"}  # only the opening tells whether a set was preshuffled
    dealt = before.shoe.drawn if before.shoe.counted == data.deck else 0  # also where nobody keys the end of a round
    put_back = dealt > 0 and dealt == before.shoe.put_back  # in a shuffle whose extent nobody knows (2B.4(h)2)
    if (dealt or not deck.shuffled) and (cycling or opened) and not put_back:
        yield find_case(rule, "load", deck=data.deck, evidence=(seen.entry.number,))


@check("shuffles.unshuffled_rest", place=440, rules=("short_shoe",), on=("shoe.loaded",))
def unshuffled_rest(seen: CheckContext) -> Iterator[Finding]:
    """Report that the discards go into a shoe that ran out, and nobody shuffled them (36.14(g), 26.15(g))."""
    rule, data, before = seen.rule("short_shoe"), seen.entry.data, seen.before
    if rule is None or not isinstance(data, ShoeLoaded) or not before.completes(data.deck) or before.shoe.partial:
        return
    if rule.verdicts("unshuffled") and before.tells_of_shuffles:
        yield find_case(
            rule, "unshuffled", deck=data.deck, evidence=(seen.entry.number,), basis="default", grace=True,
            cancels=(deck_fact("shuffled", REST),),
        )  # fmt: skip


@check("shuffles.unshuffled_round", place=450, rules=("unshuffled_round",), on=(FIRST, "kp.decision", *BY_HAND))
def unshuffled_round(seen: CheckContext) -> Iterator[Finding]:
    """Report that a deck is dealt that was not shuffled since its last round."""
    rule, ident, before = seen.rule("unshuffled_round"), seen.after.in_play or seen.after.round.deck, seen.before
    if rule is None or not (seen.first or is_dealt_by_hand(seen)) or not before.tells_of_shuffles:
        return
    evidence = (seen.entry.number,)
    if ident and removal_of(before, ident) is not None:  # it must leave the table, shuffled or not
        return
    if ident and not before.deck(ident).shuffled and not before.deck(ident).spread:
        yield find_case(rule, "deal", deck=ident, evidence=evidence)
    elif not ident and is_which_unknown(before):
        # Each round takes a deck that was shuffled, whichever it is: with more rounds than such decks, one was not.
        ready = [deck for deck in rotating(before.decks) if deck.shuffled or deck.spread]
        if len(ready) <= before.table.unnamed:
            yield find_case(rule, "deal_unnamed", evidence=evidence)


@check("shuffles.uncut", place=490, rules=("cut_missing",), on=(OF_SHOE,))
def uncut(seen: CheckContext) -> Iterator[Finding]:
    """Report that cards that a person shuffled, or that came preshuffled, are drawn without a cut."""
    rule, before = seen.rule("cut_missing"), seen.before
    if rule is None or not seen.drew or before.shoe.drawn > 0:
        return
    deck = before.deck(before.shoe.deck)
    if deck.by_hand and deck.shuffled and not deck.cut:
        evidence, key = (seen.entry.number,), round_key(seen, rule, "dealt")
        yield find_case(rule, "dealt", deck=deck.ident, grace=True, cancels=(fact("cut"),), evidence=evidence, key=key)


@check("shuffles.shoe_not_empty", place=530, rules=("stub_in_shoe",), on=("shoe.loaded",))
def shoe_not_empty(seen: CheckContext) -> Iterator[Finding]:
    """Report that an automated shoe is loaded while a stub is still in it."""
    rule, data, before = seen.rule("stub_in_shoe"), seen.entry.data, seen.before
    if rule is None or not isinstance(data, ShoeLoaded) or not before.shoe.automated or not before.shoe.deck:
        return
    yield find_case(rule, "load", deck=data.deck, other_deck=before.shoe.deck, evidence=(seen.entry.number,))


@check("shuffles.still_shuffling", place=540, rules=("load_while_shuffling",), on=("shoe.loaded",))
def still_shuffling(seen: CheckContext) -> Iterator[Finding]:
    """Report that a deck is loaded while the shuffler works on it."""
    rule, data, shuffler = seen.rule("load_while_shuffling"), seen.entry.data, seen.before.present("shuffler")
    if rule is None or not isinstance(data, ShoeLoaded) or shuffler is None:
        return
    if shuffler.busy and shuffler.deck == data.deck:
        yield find_case(rule, "load", deck=data.deck, name=device_words(shuffler.ident), evidence=(seen.entry.number,))


@check("shuffles.after_cutting_card", place=550, rules=("cutting_card",), on=(FIRST,))
def after_cutting_card(seen: CheckContext) -> Iterator[Finding]:
    """Report that a new round is dealt after the one in which the cutting card came."""
    rule, state = seen.rule("cutting_card"), seen.after
    cut = state.shoe.cut_round
    if rule is not None and seen.first and cut is not None and state.round.number > cut:
        deck = state.shoe.counted
        yield find_case(rule, "next_round", deck=deck or None, evidence=(seen.entry.number,))


@check("shuffles.ordered", place=560, rules=("face_up", "stray_ten"), on=(FIRST,))
def ordered(seen: CheckContext) -> Iterator[Finding]:
    """Report that a new round is dealt from a set that must be shuffled for the cards found in it (36.14(a), (b))."""
    deck = seen.after.shoe.counted
    if not seen.first or not seen.after.setup.keyed(("kp.round_end",)):
        return
    for rule in filter(None, map(seen.rule, ("face_up", "stray_ten"))):
        owed = [
            case.said.ref
            for case in seen.before.cases
            if case.live and case.finding.clause == rule.clause and "SHUFFLE" in case.said.verdicts
        ]
        if owed and rule.verdicts("next_round"):
            evidence = (seen.entry.number,)
            yield find_case(
                rule, "next_round", deck=deck or None, evidence=evidence, basis="default", rests_on=tuple(owed)
            )


@check("shuffles.burn_in_mid_round", place=580, rules=("burn",), on=("kp.dealer",))
def burn_in_mid_round(seen: CheckContext) -> Iterator[Finding]:
    """Report that a new dealer came in mid-round and has to burn a card before dealing on."""
    rule = seen.rule("burn")
    played = seen.after.round
    if (
        rule is None
        or not seen.said(fact("dealer"))
        or played.void
        or is_dealers_turn(seen.after)
        or blackjack_said(played)
    ):
        return
    short = cards_missing(seen.after.setup, played)
    if short is None or not seen.after.setup.keyed(("kp.round_end",)):  # nobody knows whether a card is due to a player
        return
    whole = short == 0 and bool(played.play.hands)
    if whole and not (
        undecided_hands(played) or played.play.asked
    ):  # an unread card may have ended the last hand without a key
        return
    if played.open and len(played.deal.dealt) > played.deal.carried:
        first, key = seen.entry.number, round_key(seen, rule, "mid_round")
        yield find_case(rule, "mid_round", first=first, evidence=(first,), key=key)
