"""Expectations of a scenario line: the outputs that the judge must publish for it, and their syntax.

`TAB-36 VOID SHUFFLE`, `TAB-36 cleared|refuted` (either), `CB-14 due`, `refused TAB-08`, `reveal box2.1 9H`; `corrected
box2.2 box3.2` (the card published at the first place lies at the second); `answer bj`, `no reveal`, `permit withheld`,
`check.failed`, `nothing`; `outcome box2 suited_royals win 40 to 1`, perhaps with `line=`, `stake=`, `wins=` (cents),
`basis=`, `catalogue=`, `cite=`; `no outcome`; `unfit IB-07`, which would be refused at start.

After a catalogue number also `deck=A`, `box=2`, `round=3`, `basis=text`, `actor=supervisor`, `device=shoe`, `subject=A`
(of a duty), `cite=36.14(a)` (contained in a cite), `settled=box2` (contained in a line settled), `rounds=1-3,5` (the
blast radius; `none` for a radius without rounds), `by=shuffler` (who made the last right count). A fact that the output
does not have never matches.

`TAB-01 HOLD [ALERT]`: a verdict in brackets is optional. `CB-14|CB-22 due`: either number matches, as two sections have
the same text. `maybe ...`: allowed, not required.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final, Literal, get_args

from pitwarden.scenario.errors import ScenarioError, unknown_word_error
from pitwarden_client.events.card_faces import parse_face
from pitwarden_client.events.outputs import Verdict

Kind = Literal[
    "finding", "status", "duty", "refused", "reveal", "answer", "no_reveal", "permit", "failed", "nothing", "outcome",
    "no_outcome", "unfit", "corrected",
]  # fmt: skip

VERDICTS: Final[tuple[str, ...]] = get_args(Verdict)
STATUSES: Final = ("acknowledged", "cleared", "refuted", "withdrawn")
DUTIES: Final = ("due", "overdue", "done")
QUALIFIERS: Final = ("deck", "box", "round", "basis", "actor", "device", "subject", "cite", "settled", "rounds", "by")
OUTCOME_FACTS: Final = ("line", "stake", "wins", "basis", "catalogue", "cite")
LEADS: Final = (
    "refused", "reveal", "corrected", "answer", "no", "outcome", "unfit", "permit", "check.failed", "nothing", "maybe",
)  # fmt: skip
_CATALOGUE: Final = re.compile(r"\A[A-Z][A-Z0-9]{0,3}-[A-Za-z0-9]{1,12}\Z")


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expected output. `words` are verdicts, statuses or a slot; `facts` are `key=value` pairs.

    `catalogue` holds alternative numbers, of which one must match. `needed` is False for an optional output.
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
    """Return `text` as an expectation.

    Raises:
        ScenarioError: The text is not an expectation; the sentence names the nearest known word.
    """
    tokens = text.split()
    match tokens:
        case ["outcome" | "unfit" | "corrected", *_] | ["no", "outcome"]:
            return _consequence(tokens)
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


def significant_verdicts(verdicts: Iterable[str]) -> frozenset[str]:
    """Return `verdicts` without a CONTINUE that accompanies other words."""
    words = frozenset(verdicts)
    return words - {"CONTINUE"} or words


def _finding(catalogue: frozenset[str], words: list[str], text: str) -> Expectation:
    optional = frozenset(token[1:-1] for token in words if _bracketed(token))
    rest = [token for token in words if not _bracketed(token)]
    plain = [word for token in rest if "=" not in token for word in re.split(r"[+|]", token) if word]
    facts = _facts([token for token in rest if "=" in token])
    known = (*VERDICTS, *STATUSES, *DUTIES)
    for word in (*plain, *optional):
        if word not in known:
            raise unknown_word_error(word, "verdict or status", known)
    said = frozenset(plain)
    if said and said <= {*VERDICTS}:
        if any("|" in token for token in rest if "=" not in token):
            raise ScenarioError(f"{text!r}: `|` is a choice of statuses; verdicts stand together, or in brackets")
        return Expectation("finding", catalogue, significant_verdicts(said), optional, facts, text=text)
    kinds: tuple[tuple[Kind, tuple[str, ...]], ...] = (("status", STATUSES), ("duty", DUTIES))
    for kind, group in kinds:
        if said and said <= {*group} and not optional:
            return Expectation(kind, catalogue, said, facts=facts, text=text)
    raise ScenarioError(f"{text!r}: verdict words, or a status, stand after a catalogue number")


def _bracketed(token: str) -> bool:
    return token.startswith("[") and token.endswith("]")


def _consequence(tokens: list[str]) -> Expectation:
    text = " ".join(tokens)
    match tokens:
        case ["no", _]:
            return Expectation("no_outcome", text=text)
        case ["corrected", was, slot]:
            return Expectation("corrected", facts=(("was", was), ("slot", slot)), text=text)
        case ["unfit", catalogue]:
            return Expectation("unfit", _catalogue(catalogue), text=text)
        case ["outcome", hand, wager, result, *rest]:
            facts = _facts([token for token in rest if "=" in token], OUTCOME_FACTS)
            pays = " ".join(token for token in rest if "=" not in token)
            said = (("hand", hand), ("wager", wager), ("result", result), *((("pays", pays),) if pays else ()))
            return Expectation("outcome", facts=(*said, *facts), text=text)
        case _:
            raise ScenarioError(f"{text!r}: write `outcome box2 first_attack win` or `corrected box2.2 box3.2`")


def _catalogue(text: str) -> frozenset[str]:
    for number in text.split("|"):
        if not _CATALOGUE.match(number):
            raise unknown_word_error(number, "catalogue number", (*LEADS, "TAB-36", "CB-14", "G-10"))
    return frozenset(text.split("|"))


def _facts(tokens: list[str], known: tuple[str, ...] = QUALIFIERS) -> tuple[tuple[str, str], ...]:
    pairs = []
    for token in tokens:
        key, _, value = token.partition("=")
        if key not in known:
            raise unknown_word_error(key, "fact of an output", known)
        pairs.append((key, value))
    return tuple(pairs)


def _face(text: str) -> int:
    try:
        return parse_face(text)
    except ValueError as error:
        raise ScenarioError(str(error)) from None
