"""3 Card Blitz, 13:69F-51: one or two decks, seven cards each, decisions, and what voids a round (51.12)."""

from typing import Final

from pitwarden_simulators.oracle.blitz_counts import Counts
from pitwarden_simulators.oracle.blitz_round import HAND, Round
from pitwarden_simulators.oracle.house import BLITZ, House
from pitwarden_simulators.oracle.said import ANYTHING, Finding, Said, Setup, TextSilentError, find

FULL: Final = 52


class Blitz:
    """What the texts say to one table's events, in their order."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.house = House(setup, BLITZ, FULL)
        self.counts = Counts(setup)
        self.last_deck = ""
        self.deck = ""
        self.rack = ""
        self.last: Said | None = None
        self.round = Round(setup)

    def hear(self, said: Said) -> list[Finding]:
        """What must be said to `said`; TextSilentError when the texts do not decide it."""
        if said.word == "kp.idle_spread" and (self.round.announced or self.round.started or self.round.boxes):
            raise TextSilentError
        found = self.house.hear(said)
        if found is None:
            found = self._at_the_table(said)
        elif said.word == "sf.start" and said.args[0] == self.rack:
            self.rack = ""
        elif said.word == "sf.done":
            self.counts.shuffler_counted(*said.args)
        self.last = said
        return found

    def _at_the_table(self, said: Said) -> list[Finding]:
        match said.word, said.args:
            case "sh.load", (deck, *_):
                return self._load(deck)
            case "sh.card", (card, *way):
                return self._card(card, up=way == ["up"])
            case "sh.stack", (count, *_):
                return self._stack(int(count))
            case "sh.unload", (_,):
                return self._unload()
            case (("sh.fault" | "sh.empty"), _):
                return self._shoe_stopped(said.word)
            case "kp.dealer", _:
                return []
            case "kp.mode", (mode,):
                return self._mode(mode)
        if self.round.void and said.word not in {"kp.round_end", "kp.collected"}:
            raise TextSilentError
        return self._keyed(said)

    def _keyed(self, said: Said) -> list[Finding]:
        match said.word, said.args:
            case "kp.boxes", boxes:
                return self.round.wagered([int(box) for box in boxes])
            case "kp.no_more_bets", _:
                return self._no_more_bets()
            case "kp.decision", (_, decision):
                return self.round.decision(said.box, decision)
            case "kp.stub", (count,):
                return self._stub(int(count))
            case "kp.hands", hands:
                return self._hands([int(hand) for hand in hands])
            case "kp.face_up", _:
                return self._attested()
            case "kp.drawn_in_error", (how,):
                return self._in_error(how)
            case "kp.dealer_reveal", _:
                return self.round.dealer_reveal()
            case "kp.reveal", _:
                return self.round.reveal(said.box)
            case "kp.round_end", _:
                return self._round_end()
            case "kp.collected", (deck,):
                return self._collected(deck)
        raise TextSilentError

    def _load(self, deck: str) -> list[Finding]:
        """51.9(c): the stub leaves an automated shoe at the end of the round."""
        if self.round.started or self.round.void:
            raise TextSilentError
        disputed = self.house.shuffled.get(self.deck) == "disputed"  # its stub may have been left where it was
        full = self.setup.mode == "auto_shoe" and (bool(self.house.loaded) or disputed)
        found = [find("CB-21", "HOLD", needed=not disputed)] if full else []
        self.deck = deck
        if self._twice(deck):
            found.append(find("CB-03", "ALERT", needed=False))
        return found + self.house.load(deck)

    def _twice(self, deck: str) -> bool:
        """51.2(b)4: with two decks each is used for every other round."""
        there = [name for name, _ in self.setup.decks if name in self.house.opened and name not in self.house.out]
        return len(there) > 1 and deck == self.last_deck

    def _first_of_round(self) -> list[Finding]:
        if self.round.started:
            return []
        self.round.started = True
        found = self.house.first_card()
        if self.house.drawn and self.house.shuffled.get(self.house.loaded) != "spread":
            found.append(find("CB-07|CB-20", "HOLD"))  # 51.4(a): a shuffle after every round
        if not self.round.announced:
            self.counts.round_begins(self.house.loaded)
            if self.setup.knows("kp.no_more_bets"):
                found.append(find("CB-11", "ALERT"))  # 51.7(b), 51.9(b)2
            if self.setup.knows("kp.round_end"):
                found += self.counts.at_first_card(self.house.loaded)
        if self._twice(self.house.loaded):
            found.append(find("CB-03", "ALERT", needed=self.round.places_known))
        return found

    def _leaves(self, count: int) -> list[Finding]:
        over = self.round.void or self.round.dealer_shown
        if not self.house.loaded or self.house.cycling == self.house.loaded or over:
            raise TextSilentError
        if self.round.places_known and not self.round.boxes:
            raise TextSilentError
        found = self._first_of_round()
        self.house.card_out(count)
        self.round.dealt += count
        return found

    def _card(self, card: str, *, up: bool) -> list[Finding]:
        if self.setup.mode != "manual_shoe" or card == "JKR":
            return self._joker(card, up=up)
        stub = not self.round.started and self.house.loaded in self.house.played  # it may be, of the last round
        found = self._leaves(1)
        if up and self.round.places_known and self.round.dealt > self.round.due:  # C-15
            self.round.found += 1
            return [*found, find("CB-35", "ALERT", "HOLD")]
        behind = self.round.boxes and self.round.dealt > self.round.due
        if up and (self.round.played or behind or (stub and not self.round.announced and not self.round.boxes)):
            raise TextSilentError  # 51.12(a): "while the cards are being dealt", and not all that tells is keyed here
        if up:  # 51.12(a)
            self.round.void = True
            return [*found, find("CB-35", "VOID SHUFFLE")]
        if self.round.places_known and (self.round.decided or self.round.dealt > self.round.due):
            if self.round.extra:
                raise TextSilentError
            self.round.extra = True
            return list(ANYTHING)
        return found

    def _joker(self, card: str, *, up: bool) -> list[Finding]:
        if card != "JKR" or up or self.setup.mode != "manual_shoe" or self.round.void:
            raise TextSilentError
        found = self._leaves(0)
        return [*found, find("G-02", "RACK HOLD")]

    def _stack(self, count: int) -> list[Finding]:
        """51.12(b): an incorrect number of cards to anyone."""
        if self.setup.mode != "auto_shoe" or self.round.decided:
            raise TextSilentError
        found = self._leaves(count)
        before = self.round.dealt - count
        whole = bool(self.round.boxes) and before >= self.round.due  # 51.12(b): "is dealt"; then comes the stub
        if count != HAND and whole and not self.round.places_known:
            raise TextSilentError
        if count != HAND and not whole:
            self.round.void = True
            return [*found, find("CB-36", "VOID SHUFFLE")]
        if self.round.places_known and self.round.dealt > self.round.due:
            if self.round.extra:
                raise TextSilentError
            self.round.extra = True
            return list(ANYTHING)
        return found

    def _unload(self) -> list[Finding]:
        if self.round.places_known and self.round.started and self.round.dealt < self.round.due and not self.round.void:
            raise TextSilentError
        self.house.loaded = self.house.loaded if self.setup.mode == "manual_shoe" else ""
        return []

    def _shoe_stopped(self, word: str) -> list[Finding]:
        """51.12(d): the automated shoe jams, stops, or fails to deal all cards during a round."""
        playing = (self.round.announced or self.round.started) and not self.round.void
        if self.setup.mode != "auto_shoe" or not self.round.places_known or not playing:
            raise TextSilentError
        if self.round.dealt >= self.round.due and word == "sh.empty":
            return list(ANYTHING)
        if self.round.dealt >= self.round.due:
            return [find("CB-38", "ALERT", "HOLD")]  # C-14
        self.round.void = True
        return [find("CB-38", "VOID SHUFFLE")]

    def _mode(self, mode: str) -> list[Finding]:
        """51.12(e): the automated shoe leaves before another method of dealing. 51.8(b)1: by hand with a shuffler."""
        if self.round.started or mode in {self.setup.mode, "auto_shoe"} or self.setup.mode == "hand":
            raise TextSilentError
        found = []
        if self.setup.mode == "auto_shoe" and "shoe" in self.house.on_table:
            found.append(find("CB-39", "HOLD", "DEV_OUT"))
        if mode == "hand" and "shuffler" not in self.house.on_table:
            found.append(find("CB-18", "HOLD"))
        self.round.void = True
        return found

    def _no_more_bets(self) -> list[Finding]:
        if not self.setup.knows("kp.boxes"):
            self.round.announced = True
            return []
        if self.round.announced or self.round.started or not self.round.boxes:
            raise TextSilentError
        self.round.announced = True
        self.counts.round_begins(self.house.loaded)
        found = self.counts.at_first_card(self.house.loaded)
        return [*found, find("CB-03", "ALERT", needed=False)] if self._twice(self.house.loaded) else found

    def _stub(self, count: int) -> list[Finding]:
        if not self.round.started or self.round.dealt != self.round.due or self.round.dealer_shown:
            raise TextSilentError
        return self.counts.stub(count, self.round.dealt, self.deck)

    def _hands(self, hands: list[int]) -> list[Finding]:
        if not self.round.started or len(hands) != len(self.round.boxes) + 1 or self.round.dealt != self.round.due:
            raise TextSilentError
        found = self.counts.hands(hands)
        self.round.void = any("VOID" in one.words for one in found)
        if any("DECK_OUT" in one.words | one.maybe for one in found):
            self.house.out.add(self.deck)
        return found

    def _attested(self) -> list[Finding]:
        """51.12(a): the dealer says that the card just drawn was face up."""
        if self.last is None or self.last.word not in {"sh.card", "sh.stack"} or self.round.extra:
            raise TextSilentError
        self.round.void = True
        return [find("CB-35", "VOID SHUFFLE")]

    def _in_error(self, how: str) -> list[Finding]:
        """51.12(a): unexposed it is the next card; exposed by handling it was not found face up."""
        if not self.round.extra or self.last is None or self.last.word != "sh.card":
            raise TextSilentError
        self.round.dealt -= 1
        return [find("CB-35", "USE_NEXT", "CONTINUE")] if how == "unexposed" else [find("CB-35", "ALERT", "HOLD")]

    def _round_end(self) -> list[Finding]:
        settled = self.round.dealer_shown and set(self.round.boxes) <= set(self.round.decided)
        found = [] if self.round.void or settled else list(ANYTHING)
        called_off = not self.round.started and (self.round.boxes or self.round.announced)
        self.last_deck = self.deck if self.round.started else "" if called_off else self.last_deck
        if self.round.started and self.rack not in {"", self.last_deck}:
            found = [find("CB-04", "HOLD", needed=False)]  # at the latest when it is keyed which deck was collected
        self.round = Round(self.setup)
        if self.last_deck in self.house.played:  # a shuffle may be keyed before the end of the round that it follows
            self.house.shuffled[self.last_deck] = ""
        return found

    def _collected(self, deck: str) -> list[Finding]:
        """51.2(b)5: cards of one deck only in the discard rack."""
        if deck not in dict(self.setup.decks):
            return [find("", "refused")]
        if deck not in {self.deck, self.rack}:
            raise TextSilentError
        if deck == self.house.cycling or deck not in self.house.played | {self.house.loaded}:
            return []  # it was collected, and went to the shuffler since
        if self.rack and self.rack != deck:
            return [find("CB-04", "HOLD")]
        self.rack = deck
        return []
