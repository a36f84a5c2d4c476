"""3 Card Blitz: loading and drawing, shoes that stop, other methods of dealing.

51.4(a), (b), 51.7(b), 51.8(b)1, 51.9, 51.12(a), (b), (d), (e).
"""

from pitwarden_tools.oracle.blitz_round import HAND
from pitwarden_tools.oracle.blitz_table import FULL, OracleTable
from pitwarden_tools.oracle.blitz_wagers import VOIDS
from pitwarden_tools.oracle.said import ANYTHING, ExpectedFinding, Said, TextSilentError, find


def advance(table: OracleTable, said: Said) -> list[ExpectedFinding] | None:
    """Return the findings expected on an event of the shoe, or on another method of dealing.

    None for any other event.
    """
    match said.word, said.args:
        case "sh.load", (deck, *count):
            found = _load(table, deck)
            table.loaded_whole = count == [str(FULL)]
            return found
        case "sh.card", (card, *way):
            return _card(table, card, up=way == ["up"])
        case "sh.stack", (count, *_):
            return _stack(table, int(count))
        case "sh.unload", (count,):
            return _unload(table, int(count))
        case (("sh.fault" | "sh.empty"), _):
            return _shoe_stopped(table, said.word)
        case "kp.mode", (mode,):
            return _mode(table, mode)
    return None


def _load(table: OracleTable, deck: str) -> list[ExpectedFinding]:
    """Load a deck; before it the stub left an automated shoe at the end of the round (51.9(c))."""
    if table.setup.mode == "hand":
        raise TextSilentError  # such a table has no shoe
    if table.round.started and table.round.places_known and table.round.dealt < table.round.due:
        if table.round.void or table.round.lost:
            raise TextSilentError
        table.round.lost = True  # 51.2(b)4, 51.7(a), 51.9(b)1: a round is dealt from one deck, shuffled before it
        return [find("CB-03|CB-07|CB-20|CB-21|PW-LEDGER", "", "HOLD ALERT")]
    if table.round.started or table.round.void:
        raise TextSilentError
    disputed = table.house.shuffled.get(table.deck) == "disputed"  # its stub may have been left where it was
    full = table.setup.mode == "auto_shoe" and (bool(table.house.loaded) or disputed)
    found = [find("CB-21", "HOLD", needed=not disputed)] if full else []
    table.deck = deck
    if table.twice(deck):
        found.append(find("CB-03", "ALERT", needed=False))
    return found + table.house.load(deck)


def _card(table: OracleTable, card: str, *, up: bool) -> list[ExpectedFinding]:
    if table.setup.mode != "manual_shoe" or card == "JKR":
        return _joker(table, card, up=up)
    if table.round.void and not up:
        return _of_a_void(table, 1)
    stub = not table.round.started and table.house.loaded in table.house.played  # it may be, of the last round
    found = _leaves(table, 1)
    if up and table.round.places_known and table.round.dealt > table.round.due:  # C-15
        table.round.found += 1
        return [*found, find("CB-35", "ALERT", "HOLD")]
    behind = table.round.boxes and table.round.dealt > table.round.due
    if up and (table.round.played or behind or (stub and not table.round.announced and not table.round.boxes)):
        raise TextSilentError  # 51.12(a): "while the cards are being dealt", which the keys here do not show
    if up:  # 51.12(a)
        table.round.void = True
        return [*found, find("CB-35", "VOID SHUFFLE")]
    if table.round.places_known and (table.round.decided or table.round.dealt > table.round.due):
        return _unasked(table)
    return found


def _joker(table: OracleTable, card: str, *, up: bool) -> list[ExpectedFinding]:
    if card != "JKR" or up or table.setup.mode != "manual_shoe" or table.round.void:
        raise TextSilentError
    found = _leaves(table, 0)
    return [*found, find("G-02", "RACK HOLD")]


def _stack(table: OracleTable, count: int) -> list[ExpectedFinding]:
    """Dispense a stack; an incorrect number of cards to any player is a misdeal (51.12(b))."""
    if table.setup.mode != "auto_shoe" or table.round.decided:
        raise TextSilentError
    if table.round.void and count == HAND:
        return _of_a_void(table, count)
    found = _leaves(table, count)
    before = table.round.dealt - count
    whole = bool(table.round.boxes) and before >= table.round.due  # 51.12(b): "is dealt"; then follows the stub
    if count != HAND and whole and not table.round.places_known:
        raise TextSilentError
    if count != HAND and not whole:
        table.round.void = True
        return [*found, find("CB-36", "VOID SHUFFLE")]
    if table.round.places_known and table.round.dealt > table.round.due:
        return _unasked(table)
    return found


def _of_a_void(table: OracleTable, count: int) -> list[ExpectedFinding]:
    """Deal on in a void round: "all hands shall be void" (51.12), and no hand is left to take the card."""
    now = table.round
    if not now.places_known or now.dealt >= now.due or not table.house.loaded or now.lost:
        raise TextSilentError
    table.house.card_out(count)
    now.dealt += count
    return [find(VOIDS, "", "ALERT HOLD", fresh=True)]


def _unasked(table: OracleTable) -> list[ExpectedFinding]:
    """Draw a card after the deal, or too many in it: the next key may give the reason; a second one is undecidable."""
    if table.round.extra:
        raise TextSilentError
    table.round.extra = True
    return list(ANYTHING)


def _leaves(table: OracleTable, count: int) -> list[ExpectedFinding]:
    if table.counted_elsewhere:  # the shuffler counted a whole deck, and one more card of it leaves the shoe
        table.counted_elsewhere, table.round.lost = False, True
        table.house.loaded = table.house.loaded or table.house.dealt_from
        return [find("PW-LEDGER", "", "HOLD ALERT")]
    stub_out = table.round.places_known and table.round.extra and table.round.dealt < table.round.due
    if table.round.lost or stub_out:
        raise TextSilentError
    over = table.round.void or table.round.dealer_shown
    if not table.house.loaded or table.house.cycling == table.house.loaded or over:
        raise TextSilentError
    if table.round.places_known and not table.round.boxes:
        raise TextSilentError
    found = _first_of_round(table)
    table.house.card_out(count)
    table.round.dealt += count
    return found


def _first_of_round(table: OracleTable) -> list[ExpectedFinding]:
    if table.round.started:
        return []
    table.round.started = True
    found = table.house.first_card()
    if table.house.drawn and table.house.shuffled.get(table.house.loaded) != "spread":
        found.append(find("CB-07|CB-20", "HOLD"))  # 51.4(a): a shuffle after every round
    if not table.round.announced:
        table.counts.round_begins(table.house.loaded)
        if table.setup.knows("kp.no_more_bets"):
            found.append(find("CB-11", "ALERT", fresh=True))  # 51.7(b), 51.9(b)2
        if table.setup.knows("kp.round_end"):
            found += table.counts.at_first_card(table.house.loaded)
    if table.twice(table.house.loaded):
        found.append(find("CB-03", "ALERT", needed=table.round.places_known))
    return found


def _unload(table: OracleTable, count: int) -> list[ExpectedFinding]:
    """Take the stub out; an automated shoe counts it, so that a card that never came back is missed (51.9(c))."""
    now = table.round
    counts = table.setup.mode == "auto_shoe" and table.house.loaded and table.loaded_whole
    short = counts and count + table.house.drawn != FULL
    table.loaded_whole = False
    if now.places_known and now.started and now.dealt < now.due and not now.void:
        now.extra = True  # in the middle of the deal: what is dealt on is judged at the next load
    table.house.loaded = table.house.loaded if table.setup.mode == "manual_shoe" else ""
    return [find("PW-LEDGER", "", "ALERT HOLD DECK_OUT")] if short else []


def _shoe_stopped(table: OracleTable, word: str) -> list[ExpectedFinding]:
    """Stop the automated shoe: it jams, stops, or fails to deal all cards during a round (51.12(d))."""
    playing = (table.round.announced or table.round.started) and not table.round.void
    if table.setup.mode != "auto_shoe" or not table.round.places_known or not playing:
        raise TextSilentError
    if table.round.dealt >= table.round.due and word == "sh.empty":
        return list(ANYTHING)
    if table.round.dealt >= table.round.due:
        return [find("CB-38", "ALERT", "HOLD")]  # C-14
    table.round.void = True
    return [find("CB-38", "VOID SHUFFLE")]


def _mode(table: OracleTable, mode: str) -> list[ExpectedFinding]:
    """Change the method of dealing: the automated shoe leaves first (51.12(e)); by hand with a shuffler (51.8(b)1)."""
    if table.round.started or mode in {table.setup.mode, "auto_shoe"} or table.setup.mode == "hand":
        raise TextSilentError
    found = []
    if table.setup.mode == "auto_shoe" and "shoe" in table.house.on_table:
        found.append(find("CB-39", "HOLD", "DEV_OUT"))
    if mode == "hand" and "shuffler" not in table.house.on_table:
        found.append(find("CB-18", "HOLD"))
    table.round.lost = True  # how the next cards are dealt is another table's
    return found
