"""3 Card Blitz, 13:69F-51: one or two decks, seven cards each, decisions, and what voids a round (51.12)."""

from typing import Final

from pitwarden_simulators.oracle.blitz_counts import Counts
from pitwarden_simulators.oracle.house import BLITZ, House
from pitwarden_simulators.oracle.said import ANYTHING, Finding, Said, Setup, TextSilentError, find

HAND: Final = 7
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
        self._begin()

    def _begin(self) -> None:
        """Nothing of the next round has happened."""
        self.announced = self.started = self.void = self.extra = self.played = False
        self.dealt = self.found = 0
        self.boxes: list[int] = []
        self.decided: dict[int, str] = {}
        self.revealed: list[int] = []
        self.dealer_shown = False

    @property
    def due(self) -> int:
        """51.10(a): seven cards to each player and seven to the dealer."""
        return HAND * (len(self.boxes) + 1)

    @property
    def places_known(self) -> bool:
        """Whether the number of hands is keyed."""
        return self.setup.knows("kp.boxes", "kp.no_more_bets", "kp.round_end")

    def hear(self, said: Said) -> list[Finding]:
        """What must be said to `said`; TextSilentError when the texts do not decide it."""
        if said.word == "kp.idle_spread" and (self.announced or self.started or self.boxes):
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
        if self.void and said.word not in {"kp.round_end", "kp.collected"}:
            raise TextSilentError
        return self._keyed(said)

    def _keyed(self, said: Said) -> list[Finding]:
        match said.word, said.args:
            case "kp.boxes", boxes:
                return self._boxes([int(box) for box in boxes])
            case "kp.no_more_bets", _:
                return self._no_more_bets()
            case "kp.decision", (_, decision):
                return self._decision(said.box, decision)
            case "kp.stub", (count,):
                return self._stub(int(count))
            case "kp.hands", hands:
                return self._hands([int(hand) for hand in hands])
            case "kp.face_up", _:
                return self._attested()
            case "kp.drawn_in_error", (how,):
                return self._in_error(how)
            case "kp.dealer_reveal", _:
                return self._dealer_reveal()
            case "kp.reveal", _:
                return self._reveal(said.box)
            case "kp.round_end", _:
                return self._round_end()
            case "kp.collected", (deck,):
                return self._collected(deck)
        raise TextSilentError

    def _load(self, deck: str) -> list[Finding]:
        """51.9(c): the stub leaves an automated shoe at the end of the round."""
        if self.started or self.void:
            raise TextSilentError
        self.deck = deck
        full = self.setup.mode == "auto_shoe" and bool(self.house.loaded)
        found = [find("CB-21", "HOLD")] if full else []
        if self._twice(deck):
            found.append(find("CB-03", "ALERT", needed=False))
        return found + self.house.load(deck)

    def _twice(self, deck: str) -> bool:
        """51.2(b)4: with two decks each is used for every other round."""
        there = [name for name, _ in self.setup.decks if name in self.house.opened and name not in self.house.out]
        return len(there) > 1 and deck == self.last_deck

    def _first_of_round(self) -> list[Finding]:
        if self.started:
            return []
        self.started = True
        found = self.house.first_card()
        if self.house.drawn and self.house.shuffled.get(self.house.loaded) != "spread":
            found.append(find("CB-07|CB-20", "HOLD"))  # 51.4(a): a shuffle after every round
        if not self.announced:
            self.counts.round_begins(self.house.loaded)
            if self.setup.knows("kp.no_more_bets"):
                found.append(find("CB-11", "ALERT"))  # 51.7(b), 51.9(b)2
            if self.setup.knows("kp.round_end"):
                found += self.counts.at_first_card(self.house.loaded)
        if self._twice(self.house.loaded):
            found.append(find("CB-03", "ALERT", needed=self.places_known))
        return found

    def _leaves(self, count: int) -> list[Finding]:
        if not self.house.loaded or self.house.cycling == self.house.loaded or self.void or self.dealer_shown:
            raise TextSilentError
        if self.places_known and not self.boxes:
            raise TextSilentError
        found = self._first_of_round()
        self.house.card_out(count)
        self.dealt += count
        return found

    def _card(self, card: str, *, up: bool) -> list[Finding]:
        if self.setup.mode != "manual_shoe" or card == "JKR":
            return self._joker(card, up=up)
        found = self._leaves(1)
        if up and self.places_known and self.dealt > self.due:  # C-15
            self.found += 1
            return [*found, find("CB-35", "ALERT", "HOLD")]
        if up and (self.played or (self.boxes and self.dealt > self.due)):
            raise TextSilentError  # 51.12(a): "while the cards are being dealt", and not all that tells is keyed here
        if up:  # 51.12(a)
            self.void = True
            return [*found, find("CB-35", "VOID SHUFFLE")]
        if self.places_known and (self.decided or self.dealt > self.due):
            if self.extra:
                raise TextSilentError
            self.extra = True
            return list(ANYTHING)
        return found

    def _joker(self, card: str, *, up: bool) -> list[Finding]:
        if card != "JKR" or up or self.setup.mode != "manual_shoe" or self.void:
            raise TextSilentError
        found = self._leaves(0)
        return [*found, find("G-02", "RACK HOLD")]

    def _stack(self, count: int) -> list[Finding]:
        """51.12(b): an incorrect number of cards to anyone."""
        if self.setup.mode != "auto_shoe" or self.decided:
            raise TextSilentError
        found = self._leaves(count)
        whole = bool(self.boxes) and self.dealt - count >= self.due  # 51.12(b): "is dealt"; then comes the stub
        if count != HAND and whole and not self.places_known:
            raise TextSilentError
        if count != HAND and not whole:
            self.void = True
            return [*found, find("CB-36", "VOID SHUFFLE")]
        if self.places_known and self.dealt > self.due:
            if self.extra:
                raise TextSilentError
            self.extra = True
            return list(ANYTHING)
        return found

    def _unload(self) -> list[Finding]:
        if self.places_known and self.started and self.dealt < self.due and not self.void:
            raise TextSilentError
        self.house.loaded = self.house.loaded if self.setup.mode == "manual_shoe" else ""
        return []

    def _shoe_stopped(self, word: str) -> list[Finding]:
        """51.12(d): the automated shoe jams, stops, or fails to deal all cards during a round."""
        if self.setup.mode != "auto_shoe" or not self.places_known or self.void or not (self.announced or self.started):
            raise TextSilentError
        if self.dealt >= self.due and word == "sh.empty":
            return list(ANYTHING)
        if self.dealt >= self.due:
            return [find("CB-38", "ALERT", "HOLD")]  # C-14
        self.void = True
        return [find("CB-38", "VOID SHUFFLE")]

    def _mode(self, mode: str) -> list[Finding]:
        """51.12(e): the automated shoe leaves before another method of dealing. 51.8(b)1: by hand with a shuffler."""
        if self.started or mode in {self.setup.mode, "auto_shoe"} or self.setup.mode == "hand":
            raise TextSilentError
        found = []
        if self.setup.mode == "auto_shoe" and "shoe" in self.house.on_table:
            found.append(find("CB-39", "HOLD", "DEV_OUT"))
        if mode == "hand" and "shuffler" not in self.house.on_table:
            found.append(find("CB-18", "HOLD"))
        self.void = True
        return found

    def _boxes(self, boxes: list[int]) -> list[Finding]:
        if len(boxes) > self.setup.positions or max(boxes) > self.setup.positions:
            return [find("G-13", "refused")]
        if self.started or self.announced:
            raise TextSilentError
        self.boxes = boxes
        return []

    def _no_more_bets(self) -> list[Finding]:
        if not self.setup.knows("kp.boxes"):
            self.announced = True
            return []
        if self.announced or self.started or not self.boxes:
            raise TextSilentError
        self.announced = True
        self.counts.round_begins(self.house.loaded)
        found = self.counts.at_first_card(self.house.loaded)
        return [*found, find("CB-03", "ALERT", needed=False)] if self._twice(self.house.loaded) else found

    def _decision(self, box: int, decision: str) -> list[Finding]:
        if not self.places_known:
            self.played = True
            return list(ANYTHING)
        if box not in self.boxes:
            return [find("", "refused")]
        if not self.started or box in self.decided or self.dealer_shown:
            raise TextSilentError
        first = not self.decided
        self.decided[box] = decision
        return self._dealt_right() if first else []

    def _dealt_right(self) -> list[Finding]:
        """51.12(b): fewer cards than due and no whole hands: somebody has an incorrect number. Else the floor looks."""
        if self.dealt == self.due:
            return []
        if self.dealt < self.due and self.dealt % HAND:
            self.void = True
            return [find("CB-36", "VOID SHUFFLE")]
        return [find("CB-36", "HOLD", "ALERT", needed=self.dealt - self.found != self.due)]

    def _stub(self, count: int) -> list[Finding]:
        if not self.started or self.dealt != self.due or self.dealer_shown:
            raise TextSilentError
        return self.counts.stub(count, self.dealt, self.deck)

    def _hands(self, hands: list[int]) -> list[Finding]:
        if not self.started or len(hands) != len(self.boxes) + 1 or self.dealt != self.due:
            raise TextSilentError
        found = self.counts.hands(hands)
        self.void = any("VOID" in one.words for one in found)
        if any("DECK_OUT" in one.words | one.maybe for one in found):
            self.house.out.add(self.deck)
        return found

    def _attested(self) -> list[Finding]:
        """51.12(a): the dealer says that the card just drawn was face up."""
        if self.last is None or self.last.word not in {"sh.card", "sh.stack"} or self.extra:
            raise TextSilentError
        self.void = True
        return [find("CB-35", "VOID SHUFFLE")]

    def _in_error(self, how: str) -> list[Finding]:
        """51.12(a): unexposed it is the next card; exposed by handling it was not found face up."""
        if not self.extra or self.last is None or self.last.word != "sh.card":
            raise TextSilentError
        self.dealt -= 1
        return [find("CB-35", "USE_NEXT", "CONTINUE")] if how == "unexposed" else [find("CB-35", "ALERT", "HOLD")]

    def _dealer_reveal(self) -> list[Finding]:
        """51.10(d): once all players have made a decision."""
        if not self.started or self.dealer_shown:
            raise TextSilentError
        self.dealer_shown = True
        if not self.places_known:
            return list(ANYTHING)
        if self.setup.knows("kp.decision") and set(self.boxes) - set(self.decided):
            wrong = self._dealt_right() if not self.decided else []
            return [find("CB-27", "ALERT", needed=not wrong), *wrong]
        return []

    def _reveal(self, box: int) -> list[Finding]:
        """51.10(e): from the farthest right, counterclockwise, after the dealer's."""
        if not self.places_known or not self.setup.knows("kp.dealer_reveal", "kp.decision"):
            return [find("", "refused", needed=False), find("CB-27|CB-28", "ALERT", needed=False)]
        if box not in self.boxes:
            return [find("", "refused")]
        if box in self.revealed or self.decided.get(box) != "play" or not self.started:
            raise TextSilentError
        turn = not self.revealed or box < min(self.revealed)
        farther = [other for other in self.boxes if other > box and self.decided.get(other) == "play"]
        self.revealed.append(box)
        if not self.dealer_shown:
            return [find("CB-27|CB-28", "ALERT")]
        return [find("CB-28", "ALERT", needed=not turn)] if not turn or set(farther) - set(self.revealed) else []

    def _round_end(self) -> list[Finding]:
        found = [] if self.void or (self.dealer_shown and set(self.boxes) <= set(self.decided)) else list(ANYTHING)
        called_off = not self.started and (self.boxes or self.announced)
        self.last_deck = self.deck if self.started else "" if called_off else self.last_deck
        if self.started and self.rack not in {"", self.last_deck}:
            found = [find("CB-04", "HOLD", needed=self.setup.knows("kp.collected"))]
        self._begin()
        if self.last_deck in self.house.played:  # a shuffle may be keyed before the end of the round that it follows
            self.house.shuffled[self.last_deck] = ""
        return found

    def _collected(self, deck: str) -> list[Finding]:
        """51.2(b)5: cards of one deck only in the discard rack."""
        if deck not in dict(self.setup.decks):
            return [find("", "refused")]
        if deck not in {self.deck, self.rack}:
            raise TextSilentError
        if self.rack and self.rack != deck:
            return [find("CB-04", "HOLD")]
        self.rack = deck
        return []
