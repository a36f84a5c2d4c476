"""Craps, 19:47-1.1 and 1.2(a)1 to 7: what each throw decides, and settlements that differ from it.

A place bet is inactive on a come-out roll unless called on (1.2(a)5); one to lose by the letter of the same sentence
(C-52). The faces of a four decide the hardway; its total alone does not (1.2(a)7).
"""

from dataclasses import dataclass, field
from typing import Final

from pitwarden_tools.oracle.said import ANYTHING, ExpectedFinding, Said, Setup, TextSilentError, find

NUMBERS: Final = frozenset({4, 5, 6, 8, 9, 10})
SEVEN: Final = 7
ELEVEN: Final = 11
TWELVE: Final = 12
FOUR: Final = 4
HARD: Final = ("2", "2")
CATALOG: Final = {
    "pass": "CR-02", "dont_pass": "CR-03", "come": "CR-04", "dont_come": "CR-05", "place_win": "CR-06",
    "place_lose": "CR-07", "four_hard": "CR-08",
}  # fmt: skip


@dataclass(slots=True)
class Laid:
    """Wager on the layout. `number`: of a place bet, or the point of a line wager; 0 until a throw sets it."""

    kind: str
    spot: int
    number: int = 0
    on: bool = False

    @property
    def name(self) -> str:
        """Name of the wager; a place bet's has its number."""
        return f"{self.kind}_{self.number}" if self.kind.startswith("place") else self.kind


@dataclass(slots=True)
class Dice:
    """Table of craps. `decided`: the results of the last throw by wager; `open_four`: spots whose 4 has no faces."""

    setup: Setup
    point: int = 0
    laid: list[Laid] = field(default_factory=list)
    decided: dict[tuple[str, int], set[str]] = field(default_factory=dict)
    open_four: set[int] = field(default_factory=set)

    @property
    def phase(self) -> str:
        """Name of the part of the game, for the report of what was reached."""
        return "point" if self.point else "come out"

    def advance(self, said: Said) -> list[ExpectedFinding]:
        """Return the findings expected on one event.

        Raises:
            TextSilentError: The texts do not decide it.
        """
        match said.word, said.args:
            case "ft.table_open", _:
                return []
            case "kp.dice_wager", (kind, *rest):
                return self._placed(kind, *_places(rest))
            case "kp.dice", (total, *faces):
                return self._thrown(int(total), tuple(faces))
            case "kp.dice_settled", (kind, result, *rest):
                number, spot, _ = _places(rest)
                return self._settled(kind, result, number, spot)
        raise TextSilentError

    def _placed(self, kind: str, number: int, spot: int, on: bool) -> list[ExpectedFinding]:  # noqa: FBT001  as keyed
        """Place a wager: the lines before the come-out roll, come bets after it, the others at any time."""
        if kind.startswith("place") and number not in NUMBERS:
            raise TextSilentError
        placed = Laid(kind, spot, number if kind.startswith("place") else 0, on)
        same = [one for one in self.laid if (one.name, one.spot, one.number) == (placed.name, spot, placed.number)]
        if same and kind.startswith("place"):
            same[0].on = on
            return []
        wrong = (kind in {"pass", "dont_pass"} and self.point) or (kind in {"come", "dont_come"} and not self.point)
        if same or wrong or spot in self.open_four:
            raise TextSilentError  # increased, or not "immediately prior to the come out roll"
        self.laid.append(placed)
        return []

    def _thrown(self, total: int, faces: tuple[str, ...]) -> list[ExpectedFinding]:
        if faces and (len(faces) != len(HARD) or sum(map(int, faces)) != total):
            raise TextSilentError
        if self.open_four:
            raise TextSilentError  # a 4 before this throw was never settled: it is won or lost
        self.decided = {}
        kept, found = list[Laid](), list[ExpectedFinding]()
        for one in self.laid:
            if one.kind == "four_hard" and total == FOUR and not faces:
                self.open_four.add(one.spot)
                kept.append(one)
                found.append(find("CR-08", "", "CONTINUE ALERT HOLD", needed=False))
                continue
            result = self._result(one, total, faces)
            if result:
                self.decided.setdefault((one.name, one.spot), set()).add(result)
            else:
                kept.append(one)
        self.laid = kept
        if self.point == 0:
            self.point = total if total in NUMBERS else 0
        elif total in {self.point, SEVEN}:
            self.point = 0
        words = {f"spot{spot} {name} {one}" for (name, spot), results in self.decided.items() for one in results}
        return [*found, ExpectedFinding(frozenset({"outcome"}), frozenset(words))] if words else found

    def _result(self, one: Laid, total: int, faces: tuple[str, ...]) -> str:
        if one.kind.startswith("place"):
            if not self.point and not one.on:
                return ""
            ends = (one.number, SEVEN) if one.kind == "place_win" else (SEVEN, one.number)
            return _race(total, *ends)
        if one.kind == "four_hard":
            return _race(total, FOUR if faces == HARD else 0, SEVEN if total == SEVEN else FOUR)
        against = one.kind.startswith("dont")
        if one.number:
            return _race(total, SEVEN, one.number) if against else _race(total, one.number, SEVEN)
        if total in NUMBERS:
            one.number = total
            return ""
        if against and total == TWELVE:
            return "void"
        won = total in {SEVEN, ELEVEN}
        return "win" if won is not against else "lose"

    def _settled(self, kind: str, result: str, number: int, spot: int) -> list[ExpectedFinding]:
        """Settle a wager as the throw decided it; a 4 of unknown faces either way, once."""
        name = f"{kind}_{number}" if kind.startswith("place") else kind
        if kind == "four_hard" and spot in self.open_four:
            self.open_four.discard(spot)
            self.laid = [one for one in self.laid if (one.kind, one.spot) != (kind, spot)]
            return []
        results = self.decided.get((name, spot))
        if results is None:
            return list(ANYTHING)
        return [] if result in results else [find(CATALOG[kind], "ALERT", "HOLD", fresh=True)]


def _race(total: int, win: int, lose: int) -> str:
    return "win" if total == win else "lose" if total == lose else ""


def _places(rest: list[str]) -> tuple[int, int, bool]:
    """Return number, spot and whether the bet is called on: `6 2 yes`, or `spot=2`."""
    plain = [word for word in rest if "=" not in word]
    named = dict(word.split("=") for word in rest if "=" in word)
    number = int(plain[0]) if plain else 0
    spot = int(named.get("spot", plain[1] if len(plain) > 1 else "1"))
    return number, spot, "yes" in plain
