"""3 Card Blitz: loading and drawing, shoes that stop, other methods of dealing.

51.4(a), (b), 51.7(b), 51.8(b)1, 51.9, 51.12(a), (b), (d), (e).
"""

from pitwarden_tools.oracle.blitz_round import HAND
from pitwarden_tools.oracle.blitz_table import OracleTable
from pitwarden_tools.oracle.said import ANYTHING, ExpectedFinding, Said, TextSilentError, find


def advance(table: OracleTable, said: Said) -> list[ExpectedFinding] | None:
    """Return the findings expected on an event of the shoe, or on another method of dealing.

    None for any other event.
    """
    match said.word, said.args:
        case "sh.load", (deck, *_):
            return _load(table, deck)
        case "sh.card", (card, *way):
            return _card(table, card, up=way == ["up"])
        case "sh.stack", (count, *_):
            return _stack(table, int(count))
        case "sh.unload", (_,):
            return _unload(table)
        case (("sh.fault" | "sh.empty"), _):
            return _shoe_stopped(table, said.word)
        case "kp.mode", (mode,):
            return _mode(table, mode)
    return None


def _load(table: OracleTable, deck: str) -> list[ExpectedFinding]:
    """Load a deck; before it the stub left an automated shoe at the end of the round (51.9(c))."""
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


def _unasked(table: OracleTable) -> list[ExpectedFinding]:
    """Draw a card after the deal, or too many in it: the next key may give the reason; a second one is undecidable."""
    if table.round.extra:
        raise TextSilentError
    table.round.extra = True
    return list(ANYTHING)


def _leaves(table: OracleTable, count: int) -> list[ExpectedFinding]:
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
            found.append(find("CB-11", "ALERT"))  # 51.7(b), 51.9(b)2
        if table.setup.knows("kp.round_end"):
            found += table.counts.at_first_card(table.house.loaded)
    if table.twice(table.house.loaded):
        found.append(find("CB-03", "ALERT", needed=table.round.places_known))
    return found


def _unload(table: OracleTable) -> list[ExpectedFinding]:
    now = table.round
    if now.places_known and now.started and now.dealt < now.due and not now.void:
        raise TextSilentError
    table.house.loaded = table.house.loaded if table.setup.mode == "manual_shoe" else ""
    return []


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
    table.round.void = True
    return found
