"""The page for the floor that states what clears each irregularity and each duty, observed in the scenarios.

`docs/how-to/floor/clear-an-irregularity.md` is committed, so that a change shows in a review; a test of the full run
compares it. Every scenario of the regulations is played, and each row is asked which facts it established, which
irregularities it opened and which duties it ended. No list of acts can therefore differ from the rules.
`PYTHONPATH=docs python -m _generate.clearing` writes the page again; it takes a minute.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, get_args

from _generate.contract import kind_name
from _generate.keypad import TAILS
from _generate.markdown import code, escape, page, table
from pitwarden.rules.profile.clauses import load_clauses, load_readings
from pitwarden.rules.profile.facts import WORDS, fact_words
from pitwarden.rules.state.entry import LogEntry, RuleOutput
from pitwarden.rules.state.state import RulesState
from pitwarden.scenario import parse_scenario, play_scenario
from pitwarden.scenario.report import files_in
from pitwarden.watch.session import CLEARING_INPUTS
from pitwarden_client.events.base import Role
from pitwarden_client.events.inputs import InputLogged, may_send
from pitwarden_client.events.keypad import CODES, KeypadCode
from pitwarden_client.events.outputs import Actor, Duty, Irregularity, Verdict
from pitwarden_client.events.table import ClockTick

FILE: Final = Path(__file__).parents[1] / "how-to" / "floor" / "clear-an-irregularity.md"
SCENARIOS: Final = Path(__file__).parents[2] / "tests" / "scenarios"

# A correction changes what an earlier row meant, and so may clear anything; the page describes it once for all.
CORRECTIONS: Final = frozenset({"retract", "refute", "ft.ten_refuted", "ft.ten_confirmed"})

_WHO: Final[Mapping[frozenset[Role], str]] = {
    frozenset({"dealer"}): "dealer",
    frozenset({"floor", "supervisor"}): "floorperson, supervisor",
    frozenset({"supervisor"}): "supervisor",
}
_PHRASES: Final[Mapping[str, str]] = {str(kind): fact_words(kind, "...") for kind in WORDS}
_CLAUSES: Final = frozenset(one.ident for one in load_clauses())
_READINGS: Final = frozenset(one.ident for one in load_readings())


class Case(NamedTuple):
    """A way in which a clause is reported: the verdict, and the kinds of fact that clear it, step by step."""

    clause: str
    verdicts: tuple[Verdict, ...]
    steps: tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class ClearingRecord:
    """What scenarios show of clearing.

    Attributes:
        acts: Inputs and device events that established each kind of fact.
        cases: Sentences of each case, by the person who acts.
        duties: Sentences of each kind of duty, by the person who acts.
        ends: Inputs and device events that ended each kind of duty.
    """

    acts: dict[str, set[str]] = field(default_factory=dict)
    cases: dict[Actor, dict[Case, set[str]]] = field(default_factory=lambda: {actor: {} for actor in get_args(Actor)})
    duties: dict[tuple[str, Actor], set[str]] = field(default_factory=dict)
    ends: dict[str, set[str]] = field(default_factory=dict)

    def row(self, entry: LogEntry, state: RulesState, outputs: tuple[RuleOutput, ...]) -> None:
        """Record a played row."""
        data = entry.data
        act = data.act.act if isinstance(data, InputLogged) else data.kind
        for fact in state.now.facts:
            if act not in CORRECTIONS:
                self.acts.setdefault(fact.kind, set()).add(act)
        for output in outputs:
            if isinstance(output, Irregularity) and output.status == "open":
                steps = tuple(tuple(dict.fromkeys(one.kind for one in step)) for step in output.clears_facts)
                case = Case(output.catalogue, output.verdicts, steps)
                self.cases[output.actor].setdefault(case, set()).add(output.sentence)
            if isinstance(output, Duty) and output.status == "due":
                self.duties.setdefault((output.duty, output.actor), set()).add(output.sentence)
            if isinstance(output, Duty) and output.status == "done" and not isinstance(data, ClockTick):
                self.ends.setdefault(output.duty, set()).add(act)


def played_scenarios() -> ClearingRecord:
    """Return what all scenarios show."""
    record = ClearingRecord()
    for file in files_in(SCENARIOS):
        play_scenario(parse_scenario(file.read_text(encoding="utf-8"), file.name), record.row)
    return record


def clearing_page(record: ClearingRecord) -> str:
    """Return the page."""
    kinds = {kind for cases in record.cases.values() for case in cases for step in case.steps for kind in step}
    return page(
        "Clear an irregularity",
        "Every irregularity states what clears it. This page is made from the scenarios of the regulations: each line "
        "of it was played.",
        '- "A; then B": A first. A shuffle that comes before the rest is done does not count.\n'
        '- "A or B": either.\n'
        "- An acknowledgement (SEEN, `ack`) states that you have seen it. It clears nothing.",
        "On `pitwarden watch` choose the line: the act that clears it is prepared, and you confirm it.",
        "## What clears it, and how",
        "Find the words that the irregularity shows. The codes are those of the [keypad card](keypad-card.md): digits "
        "first, then the key. The lit key is the one that clears the irregularity.",
        table(("what clears it", "how", "who"), _rows(kinds, record)),
        *_cases_by_actor(record),
        "## Duties",
        "A duty is due, then overdue. The act in the third column ends it; nothing else has to be entered.",
        table(("duty", "for example", "ended by", "who acts"), _duties(record)),
        "## It does not clear",
        "1. Read again what clears it: a count needs the right number, an inspection `ok=true`.\n"
        "2. Was the input accepted? A refused input states why.\n"
        "3. Is the sensor or an input wrong? [Correct a mistake](correct-a-mistake.md): a correction also clears what "
        "the mistake opened.\n"
        "4. Call the technician when the screen is stale.",
    )


def _rows(kinds: set[str], record: ClearingRecord) -> Iterator[tuple[str, str, str]]:
    """Yield a row for each phrase: its words, the acts that bring it about, and who may perform them."""
    ways: dict[str, dict[str, str]] = {}
    for kind, words in _PHRASES.items():
        if kind in kinds:
            ways.setdefault(words, {}).update((act, _how(kind, act)) for act in sorted(record.acts[kind]))
    for words, acts in ways.items():
        yield escape(words), "; ".join(acts.values()), _who(acts)


def _how(kind: str, act: str) -> str:
    """Return how one act is performed: at the keypad, at a terminal, or by a device."""
    prepared = CLEARING_INPUTS.get(kind, "")
    if prepared.split(" ")[0] == act:
        return code(prepared.format(subject="...", ref="...", deck="..."))
    keys = [f"{_digits(one)}{one.key.replace('_', ' ').upper()}" for one in CODES if kind_name(one.act) == act]
    if keys:
        return f"{' or '.join(keys)} ({code(act)})"
    return code(act) if _roles(act) else f"a device reports {code(act)}"


def _digits(one: KeypadCode) -> str:
    return "".join(f"{part} " for part in (one.code, TAILS[one.tail]) if part)


def _roles(act: str) -> frozenset[Role]:
    """Return the roles that may send an act; none for a device event."""
    if not act.startswith(("kp.", "ft.")):
        return frozenset()
    return frozenset(role for role in get_args(Role) if may_send(role, act))


def _who(acts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(_WHO.get(_roles(act), "device") for act in acts))


def _cases_by_actor(record: ClearingRecord) -> Iterator[str]:
    """Yield a table for each actor: clause, verdict, what it says and what clears it."""
    for actor, cases in record.cases.items():
        yield f"## The {actor} acts"
        yield table(
            ("clause", "verdict", "it says, for example", "what clears it"),
            (
                (_linked(case.clause), " ".join(case.verdicts), escape(min(cases[case])), _steps(case.steps))
                for case in sorted(cases)
            ),
        )


def _steps(steps: tuple[tuple[str, ...], ...]) -> str:
    return "; then ".join(" or ".join(escape(_PHRASES[kind]) for kind in step) for step in steps)


def _linked(clause: str) -> str:
    if clause in _CLAUSES:
        return f"[{clause}](../../sources/catalogue.md#{clause.lower()})"
    return f"[{clause}](../../reference/readings.md#{clause.lower()})" if clause in _READINGS else clause


def _duties(record: ClearingRecord) -> Iterator[tuple[str, str, str, str]]:
    for (duty, actor), sentences in sorted(record.duties.items()):
        ends = sorted(record.ends.get(duty, set()) - CORRECTIONS)
        yield duty.replace("_", " "), escape(min(sentences)), "; ".join(_how("", act) for act in ends), actor


if __name__ == "__main__":
    FILE.write_text(clearing_page(played_scenarios()), encoding="utf-8")
