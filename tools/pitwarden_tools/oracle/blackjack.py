"""Blackjack family: the shoe, the cutting card, burn cards, and the owner of the next card."""

from dataclasses import replace
from typing import Final

from pitwarden_tools.oracle import blackjack_deal, blackjack_dealer, blackjack_round
from pitwarden_tools.oracle.blackjack_found import FoundCards
from pitwarden_tools.oracle.blackjack_rack import Rack
from pitwarden_tools.oracle.blackjack_state import BlackjackRound
from pitwarden_tools.oracle.games import GAMES
from pitwarden_tools.oracle.house import OracleHouse
from pitwarden_tools.oracle.points import MISREAD
from pitwarden_tools.oracle.said import ANYTHING, ExpectedFinding, Said, Setup, TextSilentError, find

FINAL: Final = frozenset({"ft.ten_destroyed", "kp.round_end", "kp.settled"})
"""Acts that a void round asks for, and that are not undone where it was none."""
NEAR: Final = 10
"""Tolerance of "approximately one-quarter" (C-53), in cards."""


class Blackjack:
    """Expected findings for one table's events, in their order."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.game = GAMES[setup.game]
        self.full = self.game.pack(setup.in_set)
        self.house = OracleHouse(setup, self.game.book, self.full)
        self.round = BlackjackRound(setup, self.game)
        self.rack = Rack()
        self.burn_due = False
        self.burned = False
        self.perhaps = False  # whether a card may have begun a round, at a table that keys only its end
        self.dealer = ""
        self.cut_seen = False
        self.rounds = 0
        self.last_round: int | None = None
        self.found = FoundCards(self.game)
        self.legitimate = 0  # cards drawn of the whole set
        self.shuffles_seen = 0
        self.last: Said | None = None
        self.before_last_card: BlackjackRound | None = None
        self.before_the_ten: FoundCards | None = None
        self.of_the_void: list[Said] = []  # what was dealt and keyed since a 10 voided the round
        self.lost = self.counted_elsewhere = False
        self.refused = False  # whether a key or a 10 of this round was refused: another may be meant

    def advance(self, said: Said) -> list[ExpectedFinding]:
        """Return the findings expected on `said`.

        Raises:
            TextSilentError: The texts do not decide it.
        """
        playing = self.round.dealing or self.round.boxes
        if said.word == "kp.idle_spread" and (playing or self.perhaps or not self.game.book.duty("idle", "")):
            raise TextSilentError
        found = self.house.advance(said)
        if said.word == "sf.done" and said.args == (self.house.dealt_from, str(self.full)) and self.round.drawn:
            # Once all decided, after the dealer's blackjack or in a void round, the cards are reshuffled, and the
            # shuffler may have filled the shoe itself (36.4(b)1, 36.7(k), 36.14(a), (b)).
            over = self.round.void or self.round.answer == "bj" or not self.round.goes_on
            self.counted_elsewhere = not over
        if said.word == "ft.inspect" and said.args == ("reader", "ok") and self.round.reader_out:
            self._reader_back()
        if found is None:
            found = self._at_the_table(said)
        self.refused = said.word != "kp.round_end" and (self.refused or any("refused" in one.words for one in found))
        if self.house.shuffles != self.shuffles_seen:
            self.shuffles_seen = self.house.shuffles
            if self.found.waiting and self.found.reshuffle_due:
                raise TextSilentError  # A9-6: it counts only when the 10s are destroyed
            self.found.shuffled()
            self.cut_seen = False
            self.last_round = None
        self.last = said
        return found

    def _at_the_table(self, said: Said) -> list[ExpectedFinding]:
        match said.word, said.args:
            case "sh.card", (card, *way):
                return self._card(card, up=way == ["up"])
            case "sh.load", _ if self.round.short:
                raise TextSilentError  # 36.14(g): the rack goes in, and the order to shuffle it remains
            case "sh.load", (deck, *_):
                self.burn_due, self.legitimate = not self.setup.bart_carter, 0  # 2B.7(c), last sentence
                self.rack.empty()
                return self.house.load(deck)
            case "sh.unload", (count,):
                return self._unload(int(count))
            case "sh.cut", _:
                return self._cutting_card()
            case "sh.empty", _:
                return self._empty()
            case "kp.dealer", (dealer,):
                return self._dealer(dealer)
            case (("kp.face_up" | "kp.ten"), _):
                return self._attested(said.word)
            case "ft.ten_destroyed", _ if self.found.waiting:
                self.found.waiting -= 1
                self.of_the_void.append(said)
                return []
            case "ft.ten_refuted", _ if self.before_the_ten is not None and self.before_last_card is not None:
                return self._ten_refuted(self.before_the_ten, self.before_last_card)
            case "kp.round_end", _:
                return self._round_end()
            case "kp.burn_request", _:
                return []
        return self._in_the_round(said)

    def _in_the_round(self, said: Said) -> list[ExpectedFinding]:
        self.round.inspected = "reader" in self.house.inspected
        if self.round.void:
            self.of_the_void.append(said)
        if self.lost and said.word == "kp.wager":
            return list(ANYTHING)
        return blackjack_round.advance(self.round, said)

    def _ten_refuted(self, found: FoundCards, before: BlackjackRound) -> list[ExpectedFinding]:
        """Withdraw the 10 that the floorperson inspected: it is the next card, and no 10 (36.14(b), 26.15(b))."""
        dealt_on = self.of_the_void if self.round.void else []
        alone = self.last is not None and self.last.word == "sh.card" and self.last.args[0].startswith("10")
        if not (alone or dealt_on) or any(said.word in FINAL for said in dealt_on):
            raise TextSilentError
        if self.last is not None and self.last.args[-1:] == ("up",):
            raise TextSilentError  # found face up (36.14(a)), or turned for the inspection: no key shows which
        self.found, self.round, self.before_the_ten = found, before, None
        self.refused = True
        self.legitimate += 1
        optional = self.game.book.said("ten", "", "USE_NEXT CONTINUE", needed=False)
        optional += [find("", "HOLD", needed=False)]  # what was found before it remains, and may be repeated
        if self.burn_due and not dealt_on:
            self.burn_due, self.burned = False, True
            return optional
        if self.burn_due:
            raise TextSilentError
        found_now = blackjack_round.card(self.round, MISREAD)
        if self.round.loose == MISREAD:
            self.round.loose_known = "exposed"  # the players saw it, and may refuse it (36.14(e), 26.15(e))
        self.round.loose_refuted = bool(dealt_on) or self.round.loose == MISREAD
        if not dealt_on:
            return optional + [replace(one, needed=False) for one in found_now]
        # No round was void: what was dealt since is the deal or the play, card for card.
        for said in dealt_on:
            if said.word == "sh.card":
                blackjack_round.card(self.round, said.args[0])
            else:
                blackjack_round.advance(self.round, said)
        return list(ANYTHING)

    def _reader_back(self) -> None:
        """Put the reader back: without it the dealer "may only continue dealing" (36.14(m)), until it is inspected.

        That is made between rounds. Wagers may be keyed already, and then it is open whether a round is played.
        """
        if self.round.boxes or self.round.wagers or self.perhaps:
            self.round.reader_doubt = self.round.reader_doubt or not self.round.dealing
        elif not self.round.dealing:
            self.round.reader_out = False

    def _card(self, card: str, *, up: bool) -> list[ExpectedFinding]:
        if self.counted_elsewhere:  # the shuffler counted all cards of the set, and the shoe draws another of them
            if up or card == "JKR" or card.startswith("10"):
                raise TextSilentError
            self.counted_elsewhere, self.lost = False, True
            # Without the key of the round's end, and after a refused key, the round may be over.
            certain = self.setup.knows("kp.decision", "kp.round_end") and not self.refused
            # The card may be out of its order, too, or requested by no decision.
            early = [*blackjack_deal.too_soon(self.round), *self.round.early()]
            early += [one for name in ("bonus", "insurance") for one in self.game.book.said(name, "ALERT")]
            self.round.phase = "lost"
            self.house.loaded = self.house.loaded or self.house.dealt_from
            also = [replace(one, needed=False, analogy=False) for one in early]
            return [find("PW-LEDGER", "", "HOLD ALERT", needed=certain), *also]
        if not self.house.loaded or self.house.cycling == self.house.loaded:
            raise TextSilentError
        found = self.house.first_card()
        self.house.card_out()
        joker, ten = card == "JKR", card.startswith("10") and not self.game.tens
        self.legitimate += not joker and not ten
        self.rack.drawn += 1
        if self.round.void:
            self.of_the_void.append(Said("sh.card", (card,)))
            return found + self._card_of_a_void(plain=not (up or ten or joker))
        if joker and not up:
            return [*found, *self._after_blackjack(), find("G-02", "RACK HOLD")]
        if joker:
            raise TextSilentError
        self.before_last_card = self.round.copy()
        self.before_the_ten = replace(self.found) if ten else None
        self.of_the_void = []
        self.burned = False
        if up or ten:
            return found + self._after_blackjack() + self.found.not_used(self.round, up=up, ten=ten)
        if self.burn_due:  # 36.7(c), 2B.7(c)
            self.burn_due, self.burned = False, True
            return found
        self.round.inspected = "reader" in self.house.inspected
        if not self.setup.knows("kp.dealer") and not (self.round.dealing or self.round.boxes):
            raise TextSilentError  # 36.7(c): it may be burned by a new dealer
        if self.lost:
            raise TextSilentError
        self.perhaps = not self.setup.knows(*self.game.keys) and self.setup.knows("kp.round_end")
        if self._new_round_due_for_shuffle():
            return found + self._late_round()
        return found + blackjack_round.card(self.round, card)

    def _card_of_a_void(self, *, plain: bool) -> list[ExpectedFinding]:
        """Deal a card in a round that is void or dead: no hand is left to take it (36.14(a), (b), (d), (l))."""
        known = self.setup.knows(*self.game.keys, "kp.dealer")
        if not plain or self.burn_due or not self.round.void_ids or not known:
            raise TextSilentError
        ids = f"{self.round.void_ids}|{self.game.book.numbers.get('after void', '')}".strip("|")
        return [find(ids, "", "ALERT HOLD", fresh=True)]

    def _new_round_due_for_shuffle(self) -> bool:
        """Return whether the next round needs a shuffle: the cutting card's round is the last (36.4(g), 36.7(l))."""
        if not self.round.begins:
            return False
        self.rounds += 1
        late = self.last_round is not None and self.rounds > self.last_round
        return self.setup.knows(*self.game.keys) and (late or self.found.reshuffle_due or self.rack.over)

    def _after_blackjack(self) -> list[ExpectedFinding]:
        """Return the finding on an unusable card after the dealer's blackjack, when none was to be dealt (36.7(k))."""
        return self.game.book.said("no card", "ALERT", needed=False) if self.round.answer == "bj" else []

    def _late_round(self) -> list[ExpectedFinding]:
        self.lost = True
        if self.rack.over and not self.found.reshuffle_due:
            late = self.game.book.duty("rack", "overdue", needed=False)
            return late + self.game.book.duty("rack", "HOLD", "ALERT", needed=False)
        found = self.game.book.duty("after void" if self.found.reshuffle_due else "late round", "HOLD", "ALERT")
        if not found:
            raise TextSilentError
        return found + self.game.book.said("start", "ALERT", needed=False)

    def _attested(self, word: str) -> list[ExpectedFinding]:
        """Apply the dealer's statement about the drawn card, which the shoe could not sense."""
        if self.last is None or self.last.word != "sh.card" or self.round.void:
            raise TextSilentError
        if self.last.args[0] == "JKR" or self.before_last_card is None:
            raise TextSilentError
        up, ten = word == "kp.face_up", word == "kp.ten"
        if ten and self.game.tens:
            raise TextSilentError
        if (up and "up" in self.last.args) or (ten and self.last.args[0].startswith("10")):
            return []
        stray = self.last.args[0].startswith("10") and not self.game.tens
        if self.last.args[1:] or stray or self.before_last_card.phase == "loose":
            raise TextSilentError
        self.burn_due = self.burned or self.burn_due
        if ten:
            self.legitimate -= 1
        self.round = self.before_last_card
        return self.found.not_used(self.round, up=up, ten=ten)

    def _unload(self, count: int) -> list[ExpectedFinding]:
        """Check the count of the unloaded shoe, "to ensure that no cards are missing" (36.7(l)2)."""
        if not self.house.loaded or self.round.dealing:
            raise TextSilentError
        wrong = self.legitimate + count != self.full
        self.house.loaded = ""
        if wrong and self.setup.game == "SH":  # no sentence asks for the count at the end of a shoe
            return self.game.book.duty("count", "ALERT", "HOLD", needed=False)
        return self.game.book.said("count", "ALERT HOLD") if wrong else []

    def _cutting_card(self) -> list[ExpectedFinding]:
        """Check the place of the cutting card, a quarter from the back; the round is completed (36.4(e), (g))."""
        if not self.house.loaded or self.cut_seen or self.setup.bart_carter:
            raise TextSilentError
        self.cut_seen = True
        playing = self.round.dealing and not self.round.begins
        self.last_round = self.rounds + (not playing)
        found = self.game.book.said("cutting", "CONTINUE", "SHUFFLE", needed=False)
        deep = self.full - self.legitimate < self.full // 4 - NEAR
        return found + (self.game.book.duty("deep", "ALERT") if deep else [])

    def _empty(self) -> list[ExpectedFinding]:
        """Refill an empty shoe: rack shuffled and cut, a card burned, the round completed (36.14(g), 26.15(g))."""
        if (
            not self.round.needs_card
            or self.round.turned_early
            or self.round.void
            or not self.setup.knows(*self.game.keys)
        ):
            raise TextSilentError
        self.house.loaded, self.round.short = "", True
        return self.game.book.said("short", "SHUFFLE BURN", "CONTINUE HOLD")

    def _dealer(self, dealer: str) -> list[ExpectedFinding]:
        """Require a burn card of each new dealer; not with the Bart Carter shuffle (36.7(c), 2B.7(c))."""
        if dealer == self.dealer:
            return []
        self.dealer = dealer
        if self.round.dealing:
            raise TextSilentError
        self.burn_due = not self.setup.bart_carter
        return []

    def _round_end(self) -> list[ExpectedFinding]:
        self.perhaps = False
        found = blackjack_dealer.end(self.round)
        if self.round.reader_out:  # a contradicted answer may be known only once the hole card is public
            found = [*found, *self.game.book.said("reader bad", "NO_READER", needed=False)]
        if not self.round.dealing:
            found = list(ANYTHING)
        elif self.setup.bart_carter:
            found = [*found, *self.rack.at_round_end(self.game.book, certain=self.setup.knows(*self.game.keys))]
        doubt = self.round.reader_doubt
        # "Used as though it were the next card": also of the next round, where it may lie in any place.
        self.lost = self.lost or self.round.loose_known == "unexposed"
        self.round = BlackjackRound(self.setup, self.game, reader_out=self.round.reader_out, reader_doubt=doubt)
        return found
