"""Decks and devices, the same in all games: 1.18, 1.19, and how cards are shuffled, cut and placed in the shoe.

36.3, 36.4, 36.14(j), (k) of triple attack blackjack; 26.15(j), (k); 2B.3, 2B.4; 51.3, 51.4, 51.12(c), (e).
"""

from dataclasses import dataclass, field

from pitwarden_tools.oracle.said import ExpectedFinding, OutputBook, Said, Setup, TextSilentError, find

BLITZ = OutputBook({
    "opening": "CB-05|CB-06", "unshuffled": "CB-07|CB-20", "uncut": "CB-08", "recut": "CB-09", "idle": "CB-10|CB-07",
    "count": "CB-17|CB-23", "fault": "CB-37", "method": "CB-39",
})  # fmt: skip
BY_HAND = frozenset({"hand", "preshuffled"})
SHUFFLED = BY_HAND | {"machine"}


@dataclass(slots=True)
class OracleHouse:
    """State of the decks and what was done to them. `full`: the cards of a set.

    `dealt_from`: the deck of the last card; `cut`: the decks cut since their shuffle; `unsure`: a cut was keyed, and it
    may have been of either deck.
    """

    setup: Setup
    book: OutputBook
    full: int
    inspected: set[str] = field(default_factory=set)
    on_table: set[str] = field(default_factory=set)
    opened: set[str] = field(default_factory=set)
    out: set[str] = field(default_factory=set)
    shuffled: dict[str, str] = field(default_factory=dict)
    cycling: str = ""
    cut: set[str] = field(default_factory=set)
    unsure: bool = False
    loaded: str = ""
    dealt_from: str = ""
    played: set[str] = field(default_factory=set)
    drawn: int = 0
    shuffles: int = 0

    def __post_init__(self) -> None:
        """Start with all devices of the table on it."""
        self.on_table = {"shoe"} | ({"shuffler"} if self.setup.shuffler else set())

    def advance(self, said: Said) -> list[ExpectedFinding] | None:
        """Return the findings expected on an event of decks and devices; None for any other event."""
        match said.word, said.args:
            case "ft.inspect", (device, answer):
                return self._inspected(device, answer)
            case "ft.device_removed", (device,):
                self.on_table.discard(device)
            case "ft.opening", (deck, path, tens):
                return self._opening(deck, path, int(tens))
            case "sf.start", (deck,):
                return self._start(deck)
            case "sf.done", (deck, count):
                return self._done(deck, count)
            case "sf.fault", (deck, _):
                return self._fault(deck)
            case "kp.manual_shuffle", (deck,):
                return self._by_hand(deck)
            case "kp.cut", _:
                self._cut()
            case "ft.recut", _:
                return self._recut()
            case "kp.idle_spread", _:
                self._spread()
            case "ft.deck_opened", (deck, *_):
                self.opened.discard(deck)  # 36.3(a), 51.3(a): the opening comes after the deck is received
                self.cut.discard(deck)
                self.shuffled.pop(deck, "")
            case (("ft.table_open" | "clk.tick"), _):
                return []
            case _:
                return None
        return []

    def load(self, deck: str) -> list[ExpectedFinding]:
        """Load a deck: inspected, opened and shuffled before cards go in (1.19(g); 1.18(e), (f).

        36.4(a), 51.4(a), 2B.4(a)).
        """
        found = []
        if "shoe" not in self.inspected:
            found.append(find("G-10", "HOLD"))
        if deck not in self.opened:
            found.append(find(self.book.numbers.get("record", "G-20"), "HOLD"))
        if "shoe" not in self.on_table:
            raise TextSilentError
        if deck == self.loaded and deck in self.played:
            raise TextSilentError  # 36.4(a) asks for a shuffle "after each shoe of cards has been completed"
        unshuffled = deck in self.played or self.shuffled.get(deck, "") not in SHUFFLED
        if self.cycling == deck or (unshuffled and deck in self.opened):
            opened_since = self.shuffled.get(deck) == "preshuffled"  # which cards the shuffler holds is not known
            found += self.book.duty("unshuffled", "HOLD", needed=self.setup.game != "CB" and not opened_since)
        if deck in self.out or self.shuffled.get(deck) == "disputed":
            raise TextSilentError
        self.loaded, self.drawn = deck, 0
        return found

    def first_card(self) -> list[ExpectedFinding]:
        """Check at the first card: cut, unless machine-shuffled (36.4(b)2, 51.4(b)2, 2B.4(b)2).

        Spread (36.4(h), 51.4(e), 2B.4(i)).
        """
        how = self.shuffled.get(self.loaded, "")
        if how == "spread":
            return self.book.duty("idle", "HOLD")
        if self.drawn == 0 and how not in SHUFFLED:
            return self.book.duty("unshuffled", "HOLD", needed=self.loaded in self.opened)  # it may be preshuffled
        uncut = how in BY_HAND and self.loaded not in self.cut
        if self.drawn == 0 and uncut and self.setup.knows("kp.cut"):
            return self.book.duty("uncut", "ALERT", needed=not self.unsure)
        return []

    def card_out(self, count: int = 1) -> None:
        """Count cards that left the shoe."""
        if "shoe" not in self.on_table or self.loaded in self.out:
            raise TextSilentError
        self.drawn += count
        self.dealt_from = self.loaded
        self.played.add(self.loaded)

    def _inspected(self, device: str, answer: str) -> list[ExpectedFinding]:
        """Inspect a device: one that was tampered with may hold no cards (1.19(g))."""
        self.on_table.add(device)
        if answer != "ok":
            raise TextSilentError
        self.inspected.add(device)
        return []

    def _opening(self, deck: str, path: str, tens: int) -> list[ExpectedFinding]:
        """Open a set: the 10 of every suit of eight decks came out, or there was none (36.3(b))."""
        self.opened.add(deck)
        if path == "preshuffled":
            self.shuffled[deck] = "preshuffled"
        if self.setup.game == "TAB" and tens not in {0, 32}:
            return self.book.duty("tens", "HOLD")
        return []

    def _start(self, deck: str) -> list[ExpectedFinding]:
        found = []
        if "shuffler" not in self.inspected:
            found.append(find("G-10", "HOLD"))
        if deck not in self.opened:
            found += self.book.duty("opening", "HOLD", needed=self.setup.game != "SH")  # 2B.3(a) names no order
        if self.cycling or deck in self.out or "shuffler" not in self.on_table:
            raise TextSilentError
        self.cycling = deck
        self.shuffled[deck] = ""
        if deck == self.loaded:
            self.loaded = ""
        return found

    def _done(self, deck: str, count: str) -> list[ExpectedFinding]:
        """End a shuffle: all cards (36.2(a), 2B.2(a)).

        A wrong count takes the deck off the table (51.7(f), 51.9(e)).
        """
        if self.cycling != deck:
            raise TextSilentError
        self.cycling = ""
        self.shuffled[deck] = "machine"
        self.played.discard(deck)
        self.cut.discard(deck)
        self.shuffles += 1
        if count == "-" or int(count) == self.full:
            return []
        if self.setup.game == "CB":
            self.out.add(deck)
            return self.book.duty("count", "DECK_OUT")
        return (
            self.book.duty("count", "ALERT", "HOLD")
            if self.setup.game == "SH"
            else self.book.duty("count", "ALERT HOLD")
        )

    def _fault(self, deck: str) -> list[ExpectedFinding]:
        """Stop a shuffle: the cards in the shuffler are shuffled again; no round ends (36.14(j), 51.12(c))."""
        if self.cycling != deck:
            raise TextSilentError
        self.cycling = ""
        self.shuffled[deck] = ""
        return self.book.said("fault", "SHUFFLE")

    def _by_hand(self, deck: str) -> list[ExpectedFinding]:
        """Shuffle by hand: not while the shuffler is on the table (36.14(k), 51.12(e))."""
        found = []
        if "shuffler" in self.on_table:
            found += self.book.said("method", "HOLD", "DEV_OUT")
        if deck not in self.opened:
            found += self.book.duty("opening", "HOLD", needed=self.setup.game != "SH")
        if self.cycling == deck or (deck == self.loaded and self.drawn == 0):
            raise TextSilentError
        self.shuffled[deck] = "disputed" if found else "hand"
        if deck == self.loaded:
            self.loaded = ""
        self.played.discard(deck)
        self.cut.discard(deck)
        self.shuffles += 1
        return found

    def _spread(self) -> None:
        """Spread the cards (36.4(h), 51.4(e), 2B.4(i)); with two decks each separately (51.3(d))."""
        decks = [deck for deck, _ in self.setup.decks]
        if not self.loaded and len(decks) > 1:
            raise TextSilentError
        each = decks if self.setup.game == "CB" else []
        for deck in [deck for deck in each if self.shuffled.get(deck) in SHUFFLED] + [self.loaded or decks[0]]:
            self.shuffled[deck] = "spread"

    def _cut(self) -> None:
        """Cut cards that were shuffled manually, or preshuffled (36.4(b)2, 51.4(b)2)."""
        waiting = {deck for deck, how in self.shuffled.items() if how in BY_HAND} - self.played - self.cut
        waiting = waiting if len(self.setup.decks) > 1 else {self.setup.decks[0][0]}
        self.unsure = len(waiting) != 1
        self.cut |= waiting

    def _recut(self) -> list[ExpectedFinding]:
        """Cut again, after the cut and before any card is dealt (36.4(f), 51.4(d))."""
        fresh = self.cut - self.played
        again = self.cut and self.loaded in self.played and self.drawn == 0  # loaded again, and not shuffled
        if self.unsure or again or len(fresh) > 1 or "disputed" in self.shuffled.values():
            raise TextSilentError
        self.cut -= fresh
        return self.book.duty("recut", "RECUT", needed=False) if fresh else self.book.duty("recut", "refused")
