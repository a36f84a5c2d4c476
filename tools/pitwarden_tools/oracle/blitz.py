"""3 Card Blitz, 13:69F-51: one or two decks, seven cards each, decisions, and the causes of a void round (51.12)."""

from pitwarden_tools.oracle import blitz_keyed, blitz_shoe
from pitwarden_tools.oracle.blitz_table import OracleTable
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
        if found is None:
            found = self._at_the_table(said)
        elif said.word == "sf.start" and said.args[0] == table.rack:
            table.rack = ""
        elif said.word == "sf.done":
            table.counts.shuffler_counted(*said.args)
        table.last = said
        return found

    def _at_the_table(self, said: Said) -> list[ExpectedFinding]:
        if said.word == "kp.dealer":
            return []
        found = blitz_shoe.advance(self.table, said)
        return blitz_keyed.advance(self.table, said) if found is None else found
