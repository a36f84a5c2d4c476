"""3 Card Blitz, 13:69F-51: one or two decks, seven cards each, decisions, and the causes of a void round (51.12)."""

from pitwarden_tools.oracle import blitz_hand, blitz_keyed, blitz_shoe
from pitwarden_tools.oracle.blitz_table import FULL, OracleTable
from pitwarden_tools.oracle.said import ExpectedFinding, Said, Setup, TextSilentError


class Blitz:
    """Expected findings for one table's events, in their order."""

    def __init__(self, setup: Setup) -> None:
        self.table = OracleTable(setup)

    def advance(self, said: Said) -> list[ExpectedFinding]:
        """Return the findings expected on `said`.

        Raises:
            TextSilentError: The texts do not decide it.
        """
        table = self.table
        if said.word == "kp.idle_spread" and (table.round.announced or table.round.started or table.round.boxes):
            raise TextSilentError
        found = table.house.advance(said)
        if table.by_hand and found is not None:
            found = self._of_the_hand(said, found)
        if said.word == "sf.done" and said.args == (table.house.dealt_from, str(FULL)) and table.round.dealt:
            # Where the round may be over, or is void, the shuffler may have filled the shoe itself (51.4(a), 51.7(a)).
            table.counted_elsewhere = table.round.goes_on
        if found is None:
            found = self._at_the_table(said)
        elif said.word == "sf.start" and said.args[0] == table.rack:
            table.rack = ""
        elif said.word == "sf.done":
            table.counts.shuffler_counted(*said.args)
        table.last = said
        return found

    def _of_the_hand(self, said: Said, found: list[ExpectedFinding]) -> list[ExpectedFinding]:
        """Return the findings on decks where they are dealt from the hand: 51.8 removes none (C-10)."""
        table = self.table
        match said.word, said.args:
            case "sf.start", (deck,):
                table.hand.started(deck)
            case "sf.done", (deck, count):
                table.hand.shuffled(deck)
                if count not in {"-", str(FULL)}:
                    table.hand.doubt = True
                    return blitz_hand.wrong_stub("", "HOLD ALERT DECK_OUT")
            case "ft.opening", (deck, "preshuffled", _):
                table.hand.shuffled(deck)
            case (("kp.manual_shuffle" | "kp.idle_spread" | "ft.recut" | "ft.deck_opened"), _) if (
                table.hand.in_shuffler
            ):
                raise TextSilentError
            case "ft.device_removed", ("shuffler",):
                table.hand.doubt = True
        return found

    def _at_the_table(self, said: Said) -> list[ExpectedFinding]:
        if said.word == "kp.dealer":
            return []
        found = blitz_shoe.advance(self.table, said)
        return blitz_keyed.advance(self.table, said) if found is None else found
