"""A game's rules as data: what `profiles/<name>.toml` says, every row with its cite. A wrong file is refused by row."""

import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Final, Literal, get_args

from pitwarden.events.outputs import Actor, Basis, Verdict
from pitwarden.rules.rows import ProfileError, Row

Target = Literal["boxes", "dealer", "all"]
Value = str | int | bool | tuple[str, ...]
NAMES: Final = ("triple-attack-blackjack", "three-card-blitz")
_TARGETS: Final[tuple[Target, ...]] = get_args(Target)
_BASES: Final[tuple[Basis, ...]] = get_args(Basis)
_ACTORS: Final[tuple[Actor, ...]] = get_args(Actor)
_VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
_FIXED: Final = frozenset({"clause", "cites", "basis", "actor", "needs"})


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass of the deal: who gets a card each, how many times over, face up or down, and what ends it."""

    name: str
    to: Target
    times: int
    up: bool
    ends: tuple[str, ...]
    cite: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One clause as data: its catalogue number, cites, default basis and actor, verdict words by case, parameters.

    `needs` are the acts that must be keyed for it to be monitored.
    """

    key: str
    clause: str
    cites: tuple[str, ...]
    basis: Basis
    actor: Actor
    needs: tuple[str, ...]
    cases: tuple[tuple[str, tuple[Verdict, ...]], ...]
    params: tuple[tuple[str, Value], ...]

    def verdicts(self, case: str) -> tuple[Verdict, ...]:
        """The verdict words of `case`; none when the clause does not speak to it."""
        return next((words for name, words in self.cases if name == case), ())

    def param(self, name: str, default: Value) -> Value:
        """The parameter `name`, or `default`."""
        return next((value for key, value in self.params if key == name), default)

    def number(self, name: str) -> int:
        """The whole-number parameter `name`, 0 when it is not there."""
        value = self.param(name, 0)
        return value if isinstance(value, int) else 0

    def words(self, name: str) -> tuple[str, ...]:
        """The list parameter `name`, empty when it is not there."""
        value = self.param(name, ())
        return value if isinstance(value, tuple) else ()


@dataclass(frozen=True, slots=True)
class Profile:
    """One game: its pack, its deal, its rules. `copies` is how often each card is in the pack."""

    name: str
    game: str
    title: str
    effective: str
    source: str
    total: int
    copies: int
    tens: bool
    positions: tuple[int, ...]
    start: tuple[str, ...]
    burn: bool
    passes: tuple[Pass, ...]
    rules: tuple[Rule, ...]
    _by_key: dict[str, Rule] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._by_key.update({rule.key: rule for rule in self.rules})

    def rule(self, key: str) -> Rule | None:
        """The rule called `key`, None when this game has no such clause."""
        return self._by_key.get(key)


def load_profile(name: str) -> Profile:
    """The profile called `name`; ProfileError, with file, row and reason, when there is none or it is wrong."""
    if name not in NAMES:
        raise ProfileError(f"{name!r} is no game profile: there are {', '.join(NAMES)}")
    folder = files("pitwarden.rules") / "profiles"
    common = (folder / "equipment.toml").read_text(encoding="utf-8")
    return parse_profile(f"{name}.toml", (folder / f"{name}.toml").read_text(encoding="utf-8"), common)


def parse_profile(file: str, text: str, common: str = "") -> Profile:
    """The profile in `text`, with the rules of `common` unless it has its own; ProfileError names the row."""
    try:
        data, shared = tomllib.loads(text), tomllib.loads(common)
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{file}: {error}") from None
    row = Row(file, "", data)
    rules = {**Row(file, "", shared).tables("rules"), **row.tables("rules")}
    made = Profile(
        name=row.text("name"),
        game=row.text("game"),
        title=row.text("title"),
        effective=row.text("effective"),
        source=row.text("source"),
        total=row.number("total"),
        copies=row.number("copies"),
        tens=row.flag("tens"),
        positions=row.numbers("positions"),
        start=row.words("start"),
        burn=row.flag("burn"),
        passes=tuple(_pass(item) for item in row.rows("passes")),
        rules=tuple(_rule(key, rules[key]) for key in sorted(rules)),
    )
    row.refuse_rest()
    return made


def _pass(row: Row) -> Pass:
    made = Pass(
        name=row.text("name"),
        to=row.one_of("to", _TARGETS),
        times=row.number("times"),
        up=row.flag("up"),
        ends=row.words("ends"),
        cite=row.text("cite"),
    )
    row.refuse_rest()
    return made


def _rule(key: str, row: Row) -> Rule:
    cases: list[tuple[str, tuple[Verdict, ...]]] = []
    params: list[tuple[str, Value]] = []
    for name in sorted(set(row.data) - _FIXED):
        value = row.data[name]
        if isinstance(value, list):
            words = row.words(name)
            verdicts = tuple(known for word in words for known in _VERDICTS if known == word)
            if len(verdicts) == len(words):
                cases.append((name, verdicts))
            else:
                params.append((name, words))
        elif isinstance(value, str | int):
            params.append((name, value))
        else:
            raise row.wrong(name, "neither verdict words, nor words, nor a number, nor a switch")
    cites = row.words("cites")
    if not cites:
        raise row.wrong("cites", "a rule without a cite")
    return Rule(
        key=key,
        clause=row.text("clause"),
        cites=cites,
        basis=row.one_of("basis", _BASES),
        actor=row.one_of("actor", _ACTORS),
        needs=row.words("needs") if "needs" in row.data else (),
        cases=tuple(cases),
        params=tuple(params),
    )
