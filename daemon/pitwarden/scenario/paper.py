"""The growing log of a scenario: what `ack`, `refute` and `retract` refer to, and when the next row comes."""

from dataclasses import dataclass, field
from typing import Final

from pitwarden_client.events.base import Position
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import Irregularity

from pitwarden.rules.state.entry import RuleOutput
from pitwarden.scenario.errors import ScenarioError

EPOCH: Final = "scenario"


@dataclass(slots=True)
class Paper:
    """What has been said so far; a lenient one, for proofreading, knows everything."""

    number: int = 0
    refs: dict[str, Irregularity] = field(default_factory=dict)
    inputs: list[tuple[int, str, InputLogged]] = field(default_factory=list)
    lenient: bool = False

    def ref(self, catalogue: str) -> str:
        """The ref of the open, else the last, irregularity called `catalogue`; ScenarioError for none."""
        named = [one for one in self.refs.values() if one.catalogue == catalogue]
        live = [one.ref for one in named if one.status in {"open", "acknowledged"}]
        if named or self.lenient:
            return live[-1] if live else named[-1].ref if named else "any"
        names = ", ".join(sorted({one.catalogue for one in self.refs.values()})) or "none"
        raise ScenarioError(f"no {catalogue} was found before this line (found: {names})")

    def input_number(self, word: str) -> int:
        """The log number of the last input keyed with `word`; ScenarioError for none."""
        found = [number for number, said, logged in self.inputs if word in {said, logged.act.act}]
        if found or self.lenient:
            return found[-1] if found else 1
        raise ScenarioError(f"nobody has keyed {word} before this line")

    def author(self, number: int) -> tuple[str, str]:
        """Role and person of the input at log number `number`."""
        return next(((one.role, one.person) for at, _, one in self.inputs if at == number), ("dealer", "dealer-1"))

    def position(self) -> Position | None:
        """The last row, None before the first."""
        return Position(epoch=EPOCH, number=self.number) if self.number else None

    def heard(self, outputs: tuple[RuleOutput, ...]) -> None:
        """Notes the irregularities among `outputs`."""
        for output in outputs:
            if isinstance(output, Irregularity):
                self.refs[output.ref] = output
