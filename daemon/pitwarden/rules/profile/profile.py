"""A game's rules as data, every row with its cite: what `profile_file` makes of `profiles/<name>.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from pitwarden.rules.profile.case_records import CaseRecord
from pitwarden.rules.profile.clauses import Clause, clauses_of_game
from pitwarden.rules.profile.facts import ClearingStep, bound
from pitwarden.rules.profile.pay_tables import PayTable
from pitwarden_client.events.outputs import Actor, Basis, Verdict

Target = Literal["boxes", "dealer", "all", "community"]
Mode = Literal["manual_shoe", "auto_shoe", "hand"]
Value = str | int | bool | tuple[str, ...]
RegulationList = Literal["shuffler", "hand", "hand_only", "four_hours"]
"""Lists of games in the equipment regulations, by their names in `lists.toml`."""
OpenSwitch = Literal["manual_deal", "draw", "bettors"]
"""Switches that a table file may leave undecided: a profile may ask that they are decided."""


SETUP_ONLY: Final = MappingProxyType({"digest": False})
"""Metadata of a field that decides how a table may be set up, but judges no row: the profile's digest leaves it out."""
WHERE_GIVEN: Final = MappingProxyType({"digest": "given"})
"""Metadata of a field that few games have: an empty one is not part of the digest."""


@dataclass(frozen=True, slots=True, eq=False)
class DealPass:
    """One pass of the deal: who gets a card each, how many times over, face up or down, and what ends it.

    `variant`: the way of dealing that has this pass, empty when all have. A pass is itself alone (no `eq`): it is part
    of a cache key that is looked up at every row.
    """

    name: str
    to: Target
    times: int
    up: bool
    ends: tuple[str, ...]
    cite: str
    variant: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class ClauseRule:
    """One clause as data: its catalogue number, cites, default basis and actor, verdict words by case, parameters.

    `needs` are the acts that must be keyed for it to be monitored. Like a pass, a rule is itself alone.
    """

    key: str
    clause: str
    cites: tuple[str, ...]
    basis: Basis
    actor: Actor
    needs: tuple[str, ...]
    cases: tuple[tuple[str, tuple[Verdict, ...]], ...]
    params: tuple[tuple[str, Value], ...]
    clears: tuple[ClearingStep, ...] = field(default=(), metadata={"digest": False})
    """What `awaits` among the parameters states, with the names of the subjects."""
    records: tuple[CaseRecord, ...] = field(default=(), metadata={"digest": False})
    _by_name: dict[str, Value] = field(default_factory=dict, init=False, repr=False)
    _by_record: dict[str, CaseRecord] = field(default_factory=dict, init=False, repr=False)
    _by_case: dict[str, tuple[Verdict, ...]] = field(default_factory=dict, init=False, repr=False)
    _worded: dict[str, tuple[CaseRecord, dict[str, object]]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        self._by_name.update(self.params)
        self._by_case.update(self.cases)
        self._by_record.update({one.case: one for one in self.records})
        self._worded.update(
            {one.case: (one, {name: self.param(name, "") for name in one.params}) for one in self.records}
        )

    def verdicts(self, case: str) -> tuple[Verdict, ...]:
        """Return the verdict words of `case`; none when the clause does not speak to it."""
        return self._by_case.get(case, ())

    def record(self, case: str) -> CaseRecord:
        """Return the record of `case`.

        Raises:
            KeyError: No record words the case.
        """
        return self._by_record[case]

    def worded(self, case: str, fields: Mapping[str, object]) -> tuple[CaseRecord, dict[str, object]]:
        """Return the record of `case`, and `fields` with those of its sentence that are parameters of the row.

        Raises:
            KeyError: No record words the case.
        """
        record, params = self._worded[case]
        return record, {**params, **fields}

    def sentence(self, case: str, **fields: object) -> str:
        """Return the sentence of `case` with the values of its fields."""
        record, values = self.worded(case, fields)
        return record.sentence(values)

    def clearing(self, *, deck: str) -> tuple[ClearingStep, ...]:
        """Return the clearing conditions that the row states, about `deck`."""
        return bound(self.clears, {"deck": deck})

    def param(self, name: str, default: Value) -> Value:
        """Return the parameter `name`, or `default`."""
        return self._by_name.get(name, default)

    def number(self, name: str) -> int:
        """Return the whole-number parameter `name`, 0 when it is not there."""
        value = self.param(name, 0)
        return value if isinstance(value, int) else 0

    def words(self, name: str) -> tuple[str, ...]:
        """Return the list parameter `name`, empty when it is not there."""
        value = self.param(name, ())
        return value if isinstance(value, tuple) else ()


@dataclass(frozen=True, slots=True)
class GameKeys:
    """Keys of this game on top of those of all games: windows, decisions, wagers, names of bonuses, further acts."""

    windows: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    wagers: tuple[str, ...] = ()
    acts: tuple[str, ...] = ()
    named: tuple[str, ...] = field(default=(), metadata=WHERE_GIVEN)


@dataclass(frozen=True, slots=True)
class SwitchDuty:
    """A switch of the house that a table file of the game must set: no default is safe. `reason` names its effect."""

    switch: OpenSwitch
    clause: str
    cites: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class TableNeeds:
    """Requirements of a game on the set-up of a table. They apply when the table is set up, and judge no row of a log.

    `shoe_left` is the cite that puts every shoe at the dealer's left, an automated one included; empty without one.
    """

    shoe_left: str = ""
    switches: tuple[SwitchDuty, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class GameProfile:
    """One game as a table plays it: its pack, its deal, its rules. `copies` is how often each card is in the pack.

    `decks` are the numbers of decks that the game may be played with; `copies` is the one in use. `modes` are the ways
    of dealing that our sources describe. `listed` names the lists of the regulations that the game was added to, each
    with its cite, where the packaged lists do not have it. `clauses` are those of the profile itself, for a game that
    the list of clauses does not have. A profile is itself alone (no `eq`): it is the key of what is made of it.
    """

    name: str
    game: str
    title: str
    effective: str
    source: str
    decks: tuple[int, ...]
    total: int
    copies: int
    tens: bool
    positions: tuple[int, ...]
    start: tuple[str, ...]
    burn: bool
    modes: tuple[Mode, ...]
    passes: tuple[DealPass, ...]
    rules: tuple[ClauseRule, ...]
    pay: tuple[PayTable, ...] = ()
    keys: GameKeys = GameKeys()
    listed: tuple[tuple[RegulationList, str], ...] = field(default=(), metadata=WHERE_GIVEN)
    needs: TableNeeds = field(default=TableNeeds(), metadata=SETUP_ONLY)
    clauses: tuple[Clause, ...] = field(default=(), metadata=SETUP_ONLY)
    by_key: dict[str, ClauseRule] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Rules by their names."""

    def __post_init__(self) -> None:
        self.by_key.update({rule.key: rule for rule in self.rules})

    @property
    def hand_size(self) -> int:
        """Number of cards that a box is dealt at first."""
        return self.cards_to("box")

    def cards_to(self, target: str) -> int:
        """Return how many cards a target is dealt at first: `box` or one of its hands, `dealer`, `community`."""
        name: Target = "dealer" if target == "dealer" else "community" if target == "community" else "boxes"
        return sum(one.times for one in self.passes if one.to == name or (one.to == "all" and name != "community"))

    @property
    def in_stacks(self) -> bool:
        """Whether a box is dealt its hand at once, as by an automated shoe that dispenses stacks."""
        return any(one.times > 1 for one in self.passes)

    def catalogue(self) -> tuple[Clause, ...]:
        """Return the clauses of all games and of this one: from the list of clauses, then from the profile itself."""
        return (*clauses_of_game(self.game), *self.clauses)

    def rule(self, key: str) -> ClauseRule | None:
        """Return the rule called `key`, None when this game has no such clause."""
        return self.by_key.get(key)
