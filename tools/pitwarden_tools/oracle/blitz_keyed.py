"""3 Card Blitz: inputs of a round, from "no more bets" to the collected deck, and which of them void the round.

51.2(b)5, 51.7(e), 51.10, 51.12(a), (b).
"""

from pitwarden_tools.oracle import blitz_hand
from pitwarden_tools.oracle import blitz_wagers as wagers
from pitwarden_tools.oracle.blitz_counts import HAND
from pitwarden_tools.oracle.blitz_round import BlitzRound
from pitwarden_tools.oracle.blitz_table import FULL, OracleTable
from pitwarden_tools.oracle.said import ANYTHING, ExpectedFinding, Said, TextSilentError, find

AFTER_A_VOID = frozenset({"kp.round_end", "kp.collected", "kp.stub", "kp.hands", "kp.settled", "kp.wager"})
IN_A_VOID = frozenset({"kp.decision", "kp.dealer_reveal", "kp.reveal"})
SHOWS_A_DEAL = frozenset({"kp.decision", "kp.stub", "kp.hands", "kp.dealer_reveal", "kp.face_up"})
"""Keys that show that cards were dealt, where nothing senses them (51.8)."""


def advance(table: OracleTable, said: Said) -> list[ExpectedFinding]:
    """Return the findings expected on `said`; of a void round only its end is judged."""
    if table.round.void and said.word == "kp.decision":
        table.round.decided.setdefault(said.box, said.args[1])  # the key may be late
    if table.round.void and said.word in IN_A_VOID:
        return list(ANYTHING)
    if (table.round.void and said.word not in AFTER_A_VOID) or table.round.lost:
        raise TextSilentError
    stray = said.word == "kp.decision" and bool(table.round.boxes) and said.box not in table.round.boxes
    if table.by_hand and said.word in SHOWS_A_DEAL and not table.round.started and not stray:
        return _dealt_from_the_hand(table) + _keyed(table, said)
    return _keyed(table, said)


def _keyed(table: OracleTable, said: Said) -> list[ExpectedFinding]:
    match said.word, said.args:
        case "kp.boxes", boxes:
            return table.round.wagered([int(box) for box in boxes])
        case "kp.no_more_bets", _:
            return _no_more_bets(table)
        case "kp.decision", (_, decision):
            return table.round.decision(said.box, decision)
        case "kp.stub", (count,):
            return _stub(table, int(count))
        case "kp.hands", hands:
            return _hands(table, [int(hand) for hand in hands])
        case "kp.face_up", _:
            return _attested(table)
        case "kp.drawn_in_error", (how,):
            return _in_error(table, how)
        case "kp.dealer_reveal", _:
            return table.round.dealer_reveal()
        case "kp.reveal", _:
            return table.round.reveal(said.box)
        case "kp.round_end", _:
            return _round_end(table)
        case "kp.collected", (deck,):
            return _collected(table, deck)
        case "kp.wager", (kind, box, *cents):
            return wagers.wager(table.round, kind, int(box), int(cents[0]) if cents else None)
        case "kp.settled", (_, kind, *result):
            return wagers.settled(table.round, said.box, kind, result[0] if result else "")
    raise TextSilentError


def _dealt_from_the_hand(table: OracleTable) -> list[ExpectedFinding]:
    """Begin a round that nothing sensed: the first key that shows it (51.4(a), 51.8(b)1, 3)."""
    now = table.round
    if not now.places_known or not now.boxes:
        raise TextSilentError
    now.started, now.dealt = True, now.due
    found = table.hand.round_begins(table.on_table)
    if not now.announced:
        table.counts.round_begins("")
        found.append(find("CB-11", "ALERT", fresh=True))
    return found


def _no_more_bets(table: OracleTable) -> list[ExpectedFinding]:
    if not table.setup.knows("kp.boxes"):
        table.round.announced = True
        return []
    if table.round.announced or table.round.started or not table.round.boxes:
        raise TextSilentError
    table.round.announced = True
    table.counts.round_begins(table.house.loaded)
    closed = wagers.bets_closed(table.round)
    if table.by_hand:
        return [*closed, find("CB-07|CB-18|CB-20|CB-03", "", "HOLD ALERT", needed=False)]
    found = table.counts.at_first_card(table.house.loaded)
    found = closed + found
    return [*found, find("CB-03", "ALERT", needed=False)] if table.twice(table.house.loaded) else found


def _stub(table: OracleTable, count: int) -> list[ExpectedFinding]:
    if not table.round.started or table.round.dealt != table.round.due or table.round.dealer_shown:
        raise TextSilentError
    if table.by_hand:
        return _stub_of_the_hand(table, count)
    if table.round.void and not table.counts.hands_seen:
        raise TextSilentError
    found = table.counts.stub(count, table.round.dealt, table.deck)
    table.round.void = table.round.void or any("VOID" in one.words for one in found)
    if any("DECK_OUT" in one.words for one in found):
        table.house.out.add(table.deck)
    return found


def _stub_of_the_hand(table: OracleTable, count: int) -> list[ExpectedFinding]:
    """Count the stub of the house's own accord: no clause voids or removes for it (51.8, C-10)."""
    hands = table.counts.hands_seen
    if table.round.void or hands:
        raise TextSilentError
    table.counts.stub_seen = count
    if count + table.round.due == FULL:
        return []
    return blitz_hand.wrong_stub("")


def _hands(table: OracleTable, hands: list[int]) -> list[ExpectedFinding]:
    if not table.round.started or len(hands) != len(table.round.boxes) + 1 or table.round.dealt != table.round.due:
        raise TextSilentError
    if table.round.void and not (table.counts.stub_seen is not None and not table.counts.hands_seen):
        raise TextSilentError
    if table.by_hand:
        return _hands_of_the_hand(table, hands)
    found = table.counts.hands(hands, table.deck)
    table.round.void = any("VOID" in one.words for one in found)
    if any("DECK_OUT" in one.words | one.maybe for one in found):
        table.house.out.add(table.deck)
    return found


def _hands_of_the_hand(table: OracleTable, hands: list[int]) -> list[ExpectedFinding]:
    """Count the hands: a wrong one voids (51.12(b)); a short deck is the ledger's (51.8, C-10)."""
    stub, deck = table.counts.stub_seen, table.hand.deck
    table.counts.hands_seen = hands
    if any(hand != HAND for hand in hands):
        table.round.void = True
        return [find("CB-16|CB-36", "VOID SHUFFLE", "DECK_OUT HOLD", deck=deck),
                find(blitz_hand.LEDGER, "", "HOLD ALERT DECK_OUT", needed=False)]  # fmt: skip
    if stub is None or stub + sum(hands) == FULL:
        return []
    table.hand.doubt = True
    return blitz_hand.wrong_stub(deck, "HOLD ALERT DECK_OUT")


def _attested(table: OracleTable) -> list[ExpectedFinding]:
    """Apply the dealer's statement that the drawn card was face up (51.12(a))."""
    if table.by_hand and not table.round.decided and not table.round.dealer_shown:
        table.round.void = True
        return [find("CB-35", "VOID SHUFFLE", deck=table.hand.deck)]
    if table.last is None or table.last.word not in {"sh.card", "sh.stack"} or table.round.extra:
        raise TextSilentError
    table.round.void = True
    return [find("CB-35", "VOID SHUFFLE")]


def _in_error(table: OracleTable, how: str) -> list[ExpectedFinding]:
    """Use a card drawn in error: unexposed it is the next card.

    Exposed by handling it was not found face up (51.12(a)).
    """
    if not table.round.extra or table.last is None or table.last.word != "sh.card":
        raise TextSilentError
    table.round.dealt -= 1
    return [find("CB-35", "USE_NEXT", "CONTINUE")] if how == "unexposed" else [find("CB-35", "ALERT", "HOLD")]


def _round_end(table: OracleTable) -> list[ExpectedFinding]:
    found = [] if table.round.void else wagers.never_turned(table.round)
    if table.by_hand:
        table.round = BlitzRound(table.setup)
        return found
    called_off = not table.round.started and (table.round.boxes or table.round.announced)
    table.last_deck = table.deck if table.round.started else "" if called_off else table.last_deck
    if table.round.started and table.rack not in {"", table.last_deck}:
        found += [find("CB-04", "HOLD", needed=False)]  # at the latest when the collected deck is keyed
    table.round = BlitzRound(table.setup)
    if table.last_deck in table.house.played:  # a shuffle may be keyed before the end of the round that it follows
        table.house.shuffled[table.last_deck] = ""
    return found


def _collected(table: OracleTable, deck: str) -> list[ExpectedFinding]:
    """Check that the discard rack has cards of one deck only (51.2(b)5)."""
    if deck not in dict(table.setup.decks):
        return [find("", "refused")]
    if table.by_hand:
        table.hand.collected(deck)
        return [find("CB-04", "HOLD", needed=False)]
    if deck not in {table.deck, table.rack}:
        raise TextSilentError
    if deck == table.house.cycling or deck not in table.house.played | {table.house.loaded}:
        # It was collected, and went to the shuffler since; or it was not dealt, and lies in the rack all the same.
        table.mixed = table.mixed or deck not in table.house.played
        return []
    if table.mixed:
        return [find("CB-04", "HOLD", needed=False)]
    if table.rack and table.rack != deck:
        table.mixed = True  # which cards lie there from now on, no key shows
        return [find("CB-04", "HOLD")]
    table.rack = deck
    return []
