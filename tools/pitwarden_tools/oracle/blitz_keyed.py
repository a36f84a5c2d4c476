"""3 Card Blitz: inputs of a round, from "no more bets" to the collected deck, and which of them void the round.

51.2(b)5, 51.7(e), 51.10, 51.12(a), (b).
"""

from pitwarden_tools.oracle.blitz_round import BlitzRound
from pitwarden_tools.oracle.blitz_table import OracleTable
from pitwarden_tools.oracle.said import ANYTHING, ExpectedFinding, Said, TextSilentError, find

AFTER_A_VOID = frozenset({"kp.round_end", "kp.collected"})


def advance(table: OracleTable, said: Said) -> list[ExpectedFinding]:
    """Return the findings expected on `said`; of a void round only its end is judged."""
    if table.round.void and said.word not in AFTER_A_VOID:
        raise TextSilentError
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
    raise TextSilentError


def _no_more_bets(table: OracleTable) -> list[ExpectedFinding]:
    if not table.setup.knows("kp.boxes"):
        table.round.announced = True
        return []
    if table.round.announced or table.round.started or not table.round.boxes:
        raise TextSilentError
    table.round.announced = True
    table.counts.round_begins(table.house.loaded)
    found = table.counts.at_first_card(table.house.loaded)
    return [*found, find("CB-03", "ALERT", needed=False)] if table.twice(table.house.loaded) else found


def _stub(table: OracleTable, count: int) -> list[ExpectedFinding]:
    if not table.round.started or table.round.dealt != table.round.due or table.round.dealer_shown:
        raise TextSilentError
    return table.counts.stub(count, table.round.dealt, table.deck)


def _hands(table: OracleTable, hands: list[int]) -> list[ExpectedFinding]:
    if not table.round.started or len(hands) != len(table.round.boxes) + 1 or table.round.dealt != table.round.due:
        raise TextSilentError
    found = table.counts.hands(hands)
    table.round.void = any("VOID" in one.words for one in found)
    if any("DECK_OUT" in one.words | one.maybe for one in found):
        table.house.out.add(table.deck)
    return found


def _attested(table: OracleTable) -> list[ExpectedFinding]:
    """Apply the dealer's statement that the drawn card was face up (51.12(a))."""
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
    settled = table.round.dealer_shown and set(table.round.boxes) <= set(table.round.decided)
    found = [] if table.round.void or settled else list(ANYTHING)
    called_off = not table.round.started and (table.round.boxes or table.round.announced)
    table.last_deck = table.deck if table.round.started else "" if called_off else table.last_deck
    if table.round.started and table.rack not in {"", table.last_deck}:
        found = [find("CB-04", "HOLD", needed=False)]  # at the latest when the collected deck is keyed
    table.round = BlitzRound(table.setup)
    if table.last_deck in table.house.played:  # a shuffle may be keyed before the end of the round that it follows
        table.house.shuffled[table.last_deck] = ""
    return found


def _collected(table: OracleTable, deck: str) -> list[ExpectedFinding]:
    """Check that the discard rack has cards of one deck only (51.2(b)5)."""
    if deck not in dict(table.setup.decks):
        return [find("", "refused")]
    if deck not in {table.deck, table.rack}:
        raise TextSilentError
    if deck == table.house.cycling or deck not in table.house.played | {table.house.loaded}:
        return []  # it was collected, and went to the shuffler since
    if table.rack and table.rack != deck:
        return [find("CB-04", "HOLD")]
    table.rack = deck
    return []
