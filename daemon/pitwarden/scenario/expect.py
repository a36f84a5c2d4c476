"""What a line expects of the judge, and whether an output is it.

`TAB-36 VOID SHUFFLE`, `TAB-36 cleared`, `CB-14 due`, `refused TAB-08`, `reveal box2.1 9H`, `answer bj`, `no reveal`,
`permit withheld`, `check.failed`, `nothing`; `outcome box2 suited_royals win 40 to 1`, perhaps with `line=`,
`stake=`, `wins=` (cents), `basis=`; `no outcome`; `unfit IB-07`, which would be refused at start; after a catalogue
number also `deck=A`, `box=2`, `round=3`, `basis=text`,
`actor=supervisor`, `device=shoe`, `cite=36.14(a)` (contained in a cite), `settled=box2` (contained in a line settled),
`rounds=1-3,5` (the blast radius; `none` for a radius without rounds), `by=shuffler` (who made the last right count).
`TAB-01 HOLD [ALERT]`: a word in brackets may come or not. `CB-14|CB-22 due`: either number will do, as two sections
say the same. `maybe ...`: allowed, not required.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final, Literal, get_args

from pitwarden.events.faces import face_of, name_of
from pitwarden.events.outputs import CheckFailed, Duty, Irregularity, Notice, Outcomes, Refused, Verdict, WagerOutcome
from pitwarden.rules.entry import AnswerDue, RevealDue, RuleOutput
from pitwarden.scenario.errors import ScenarioError, unknown

Kind = Literal[
    "finding", "status", "duty", "refused", "reveal", "answer", "no_reveal", "permit", "failed", "nothing", "outcome",
    "no_outcome", "unfit",
]  # fmt: skip

VERDICTS: Final[tuple[str, ...]] = get_args(Verdict)
STATUSES: Final = ("acknowledged", "cleared", "refuted", "withdrawn")
DUTIES: Final = ("due", "overdue", "done")
QUALIFIERS: Final = ("deck", "box", "round", "basis", "actor", "device", "subject", "cite", "settled", "rounds", "by")
OUTCOME_FACTS: Final = ("line", "stake", "wins", "basis", "catalogue", "cite")
PASSING: Final = frozenset({"CONTINUE", "USE_NEXT", "RACK", "BURN", "OPTION", "HAND_DEAD"})
"""Verdicts that nothing senses the carrying out of: when they are cleared is checked only where a file names it."""

USUAL_DUTIES: Final = frozenset({"shuffle", "burn", "cut"})
"""Duties of every honest shoe: announced or not, they are checked only when overdue or named."""

LEADS: Final = ("refused", "reveal", "answer", "no", "outcome", "unfit", "permit", "check.failed", "nothing", "maybe")
_CATALOGUE: Final = re.compile(r"\A[A-Z][A-Z0-9]{0,3}-[A-Za-z0-9]{1,12}\Z")


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expected output; `words` are verdicts, statuses, a slot; `facts` are `key=value` pairs.

    `catalogue` holds the numbers of which one will do; `needed` is false for what may come or not.
    """

    kind: Kind
    catalogue: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    facts: tuple[tuple[str, str], ...] = ()
    face: int = field(default=-1, repr=False)
    text: str = ""
    needed: bool = True


def parse_expectation(text: str) -> Expectation:
    """`text` as an expectation; ScenarioError with the nearest known word when it is none."""
    tokens = text.split()
    match tokens:
        case ["outcome" | "unfit", *_] | ["no", "outcome"]:
            return _wager(tokens)
        case ["maybe", *rest] if rest:
            return replace(parse_expectation(" ".join(rest)), needed=False)
        case [("nothing" | "check.failed") as word]:
            return Expectation("nothing" if word == "nothing" else "failed", text=word)
        case ["no", "reveal"]:
            return Expectation("no_reveal", text="no reveal")
        case ["refused", catalogue, *facts]:
            return Expectation("refused", _catalogue(catalogue), facts=_facts(facts), text=" ".join(tokens))
        case ["reveal", slot, card]:
            return Expectation("reveal", words=frozenset({slot}), face=_face(card), text=" ".join(tokens))
        case ["answer", ("bj" | "no") as answer]:
            return Expectation("answer", words=frozenset({answer}), text=" ".join(tokens))
        case ["permit", ("granted" | "withheld") as permit]:
            return Expectation("permit", words=frozenset({permit}), text=" ".join(tokens))
        case [catalogue, *words] if words:
            return _finding(_catalogue(catalogue), words, " ".join(tokens))
        case _:
            raise ScenarioError(f"{text.strip()!r} expects nothing that a judge says: write `TAB-36 RACK` or `nothing`")


def meets(wanted: Expectation, output: RuleOutput) -> bool:
    """Whether `output` is what `wanted` names."""
    match output:
        case Irregularity(status="open") | Notice():
            said = _weighty(output.verdicts)
            same = wanted.kind == "finding" and wanted.words <= said <= wanted.words | wanted.optional
            return same and output.catalogue in wanted.catalogue and _agree(wanted, output)
        case Irregularity():
            same = wanted.kind == "status" and output.status in wanted.words
            return same and output.catalogue in wanted.catalogue and _agree(wanted, output)
        case Duty():
            same = wanted.kind == "duty" and output.status in wanted.words
            return same and output.catalogue in wanted.catalogue and _agree(wanted, output)
        case Refused():
            return wanted.kind == "refused" and output.catalogue in wanted.catalogue
        case RevealDue():
            return wanted.kind == "reveal" and output.slot in wanted.words and output.face == wanted.face
        case AnswerDue():
            return wanted.kind == "answer" and ("bj" if output.bit else "no") in wanted.words
        case Outcomes():
            return wanted.kind == "outcome" and any(_decided(wanted, one) for one in output.wagers)
        case CheckFailed():
            return wanted.kind == "failed"


def must_be_expected(output: RuleOutput, *, strict_reveals: bool) -> bool:
    """Whether a file that does not name `output` is wrong about it."""
    match output:
        case RevealDue() | AnswerDue():
            return strict_reveals
        case Notice():
            return not frozenset(output.verdicts) <= {"CONTINUE"}
        case Irregularity(status="cleared"):
            return not frozenset(output.verdicts) <= PASSING
        case Duty():
            return output.duty not in USUAL_DUTIES or output.status == "overdue"
        case Outcomes():
            return False
        case _:
            return True


def describe(output: RuleOutput) -> str:
    """`output` in the words of an expectation."""
    match output:
        case Irregularity(status="open") | Notice():
            return f"{output.catalogue} {' '.join(output.verdicts) or '(notice)'}"
        case Irregularity() | Duty():
            return f"{output.catalogue} {output.status}"
        case Refused():
            return f"refused {output.catalogue}"
        case RevealDue():
            return f"reveal {output.slot} {name_of(output.face)}"
        case AnswerDue():
            return f"answer {'bj' if output.bit else 'no'}"
        case Outcomes():
            return "; ".join(f"outcome {one.hand} {one.wager} {one.result} {one.pays}".strip() for one in output.wagers)
        case CheckFailed():
            return "check.failed"


def _finding(catalogue: frozenset[str], words: list[str], text: str) -> Expectation:
    optional = [token[1:-1] for token in words if token.startswith("[") and token.endswith("]")]
    rest = [token for token in words if not token.startswith("[")]
    plain = [word for token in rest if "=" not in token for word in re.split(r"[+|]", token) if word]
    facts = _facts([token for token in rest if "=" in token])
    known = (*VERDICTS, *STATUSES, *DUTIES)
    for word in (*plain, *optional):
        if word not in known:
            raise unknown(word, "verdict or status", known)
    kinds: tuple[tuple[Kind, tuple[str, ...]], ...] = (("finding", VERDICTS), ("status", STATUSES), ("duty", DUTIES))
    for kind, group in kinds:
        if plain and frozenset(plain) <= frozenset(group):
            said = _weighty(plain) if kind == "finding" else frozenset(plain)
            return Expectation(kind, catalogue, said, frozenset(optional), facts, text=text)
    raise ScenarioError(f"{text!r}: verdict words, or a status, stand after a catalogue number")


def _wager(tokens: list[str]) -> Expectation:
    text = " ".join(tokens)
    match tokens:
        case ["no", _]:
            return Expectation("no_outcome", text=text)
        case ["unfit", catalogue]:
            return Expectation("unfit", _catalogue(catalogue), text=text)
        case ["outcome", hand, wager, result, *rest]:
            facts = _facts([token for token in rest if "=" in token], OUTCOME_FACTS)
            pays = " ".join(token for token in rest if "=" not in token)
            said = (("hand", hand), ("wager", wager), ("result", result), *((("pays", pays),) if pays else ()))
            return Expectation("outcome", facts=(*said, *facts), text=text)
        case _:
            raise ScenarioError(f"{text!r}: write `outcome box2 first_attack win`, `no outcome` or `unfit IB-07`")


def _decided(wanted: Expectation, one: WagerOutcome) -> bool:
    said = {key: str(value) for key, value in one.model_dump().items()}
    plain = all(said[key] == value for key, value in wanted.facts if key != "cite")
    return plain and all(value in " ".join(one.clauses) for key, value in wanted.facts if key == "cite")


def _weighty(verdicts: Iterable[str]) -> frozenset[str]:
    """`verdicts`, without a CONTINUE that only stands beside other words."""
    words = frozenset(verdicts)
    return words - {"CONTINUE"} or words


def _catalogue(text: str) -> frozenset[str]:
    for number in text.split("|"):
        if not _CATALOGUE.match(number):
            raise unknown(number, "catalogue number", (*LEADS, "TAB-36", "CB-14", "G-10"))
    return frozenset(text.split("|"))


def _facts(tokens: list[str], known: tuple[str, ...] = QUALIFIERS) -> tuple[tuple[str, str], ...]:
    pairs = []
    for token in tokens:
        key, _, value = token.partition("=")
        if key not in known:
            raise unknown(key, "fact of an output", known)
        pairs.append((key, value))
    return tuple(pairs)


def _face(text: str) -> int:
    try:
        return face_of(text)
    except ValueError as error:
        raise ScenarioError(str(error)) from None


def _agree(wanted: Expectation, output: Irregularity | Duty | Notice) -> bool:
    said = output.model_dump()
    blast = output.blast if isinstance(output, Irregularity) else None
    for key, value in wanted.facts:
        if key in {"rounds", "by"}:
            told = "" if blast is None else (_spans(blast.rounds) if key == "rounds" else blast.by or "nobody")
            if told != value:
                return False
            continue
        if key in {"cite", "settled"}:
            lines = said.get("clauses" if key == "cite" else "settled_before", ())
            if not any(value in line for line in lines):
                return False
        elif str(said.get(key, "")) != value:
            return False
    return True


def _spans(rounds: tuple[int, ...]) -> str:
    """`rounds` in short, as `1-3,5`; `none` when there are none."""
    spans: list[list[int]] = []
    for number in rounds:
        if spans and spans[-1][-1] == number - 1:
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    return ",".join("-".join(map(str, span)) for span in spans) or "none"
