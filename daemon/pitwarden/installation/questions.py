"""Questionnaire for the technician, for whatever an answers file or an option does not state.

A wrong answer is explained and asked again. Nothing is written while questions are open.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from pitwarden.installation.answers import Answers, parse_answers

Ask = Callable[[str], str]
"""Function that shows a question and returns the answer, without the line end."""


@dataclass(frozen=True, slots=True)
class OfferedDevice:
    """Device that is plugged in and has identified itself."""

    family: str
    serial: str
    port: str
    firmware: str


@dataclass(frozen=True, slots=True)
class OfferedGame:
    """Game that can be chosen: its name in the table file, its title, and what a table of it usually has."""

    name: str
    title: str
    sections: dict[str, dict[str, object]]


class Questionnaire:
    """Questions in the order in which a technician can answer them."""

    def __init__(self, ask: Ask, tell: Callable[[str], None], today: date) -> None:
        self._ask, self._tell, self._today = ask, tell, today

    def answers(
        self, table: str, games: Sequence[OfferedGame], devices: Sequence[OfferedDevice], *, simulated: bool = False
    ) -> Answers:
        """Return the answers for `table`, asked one after the other; at most ten questions.

        `simulated`: the devices are simulated ones, so the table is marked as such.

        Raises:
            AnswersError: The answers do not fit together.
        """
        site = self._word("Site (a word, part of every topic)")
        game = self._choice("Game", [(one.name, one.title) for one in games])
        sections = {name: dict(values) for name, values in games[game].sections.items()}
        sections["table"] |= {"site": site, "table": table, "game": games[game].name}
        sections["table"] |= {"simulated": True} if simulated else {}
        sections["table"]["positions"] = self._number("Betting positions on the layout", 1, 7)
        sections["devices"] = self._devices(devices)
        setup: dict[str, object] = {}
        by = self._line("Who attests what no device senses (name of the person; empty: not attested yet)")
        if by:
            setup["attested"] = {"by": by, "on": self._day("Day of the attestation")}
        pit = self._line("Name or address at which terminals reach this controller (empty: no terminals yet)")
        if pit:
            setup["pit"] = [one.strip() for one in pit.split(",")]
        return parse_answers({**sections, "setup": setup}, "the answers")

    def _devices(self, devices: Sequence[OfferedDevice]) -> dict[str, object]:
        """Return the sections of the devices: the first of each family, if they are the table's."""
        first: dict[str, OfferedDevice] = {}
        for device in devices:
            first.setdefault(device.family, device)
        for device in first.values():
            self._tell(f"  {device.family}  {device.serial}, firmware {device.firmware}, at {device.port}")
        if not first:
            self._tell("No device answers. Plug them in and begin again, or state them in an answers file.")
            return {}
        if not self._yes("Are these the devices of this table"):
            return {}
        filed = self._line(f"References of the procedures on file for {', '.join(first)} (in this order, with commas)")
        references = [one.strip() for one in filed.split(",")]
        chosen: dict[str, object] = {}
        for number, (family, device) in enumerate(first.items()):
            section: dict[str, object] = {"family": family, "port": device.port, "serial": device.serial}
            section["firmware"] = [device.firmware]
            if family == "shuffler":
                section["counts"] = self._yes("Does the shuffler count the cards after each shuffle")
            if family == "reader":
                section["player_visible"] = self._yes("Can any player see the hole card's value in the reader")
            if number < len(references) and references[number]:
                section["procedure"] = references[number]
            chosen[family] = section
        return chosen

    def _line(self, question: str) -> str:
        return self._ask(f"{question}: ").strip()

    def _word(self, question: str) -> str:
        while not (given := self._line(question)):
            self._tell("Please write a word: letters, digits, _ and -.")
        return given

    def _yes(self, question: str) -> bool:
        while (given := self._line(f"{question}? [y/n]").lower()) not in {"y", "yes", "n", "no"}:
            self._tell("Please answer y or n.")
        return given.startswith("y")

    def _number(self, question: str, least: int, most: int) -> int:
        while True:
            given = self._line(f"{question} [{least}-{most}]")
            if given.isdecimal() and least <= int(given) <= most:
                return int(given)
            self._tell(f"Please write a number from {least} to {most}.")

    def _day(self, question: str) -> date:
        while True:
            given = self._line(f"{question} [{self._today.isoformat()}]")
            try:
                return date.fromisoformat(given) if given else self._today
            except ValueError:
                self._tell("Please write the day as YYYY-MM-DD.")

    def _choice(self, question: str, choices: Sequence[tuple[str, str]]) -> int:
        for number, (name, title) in enumerate(choices, 1):
            self._tell(f"  {number}  {name}  {title}")
        return self._number(question, 1, len(choices)) - 1
