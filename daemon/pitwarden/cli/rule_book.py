"""Rule book of a game: its clauses as a person reviews them, as Markdown or HTML.

Each clause stands with its cite and the rows of the profile that decide it. Each case has its verdicts, its sentence,
and what clears it. The conditions stand in words, with the rows of the log on which they are evaluated. Everything is
made of the records, the profile and the declarations. A signed review names the digest of the page.
"""

import hashlib
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import quote

from pitwarden.rules import GameProfile
from pitwarden.rules.engine.check_catalogue import CHECKS
from pitwarden.rules.engine.coverage import deciding_rules, rule_deciders, rule_readers
from pitwarden.rules.profile.case_records import CaseRecord
from pitwarden.rules.profile.clauses import Clause, LawDigest
from pitwarden.rules.profile.facts import REST, UNSAID, ClearingStep, Fact, fact_words
from pitwarden.rules.profile.profile import ClauseRule
from pitwarden.rules.profile.refusals import load_refusals
from pitwarden.rules.profile.texts import load_texts

CASES: Final = ("case", "verdicts", "sentence", "what clears it")
CONDITIONS: Final = ("condition", "in words", "on rows of the log")


@dataclass(frozen=True, slots=True)
class RowSheet:
    """One row of a profile under a clause."""

    title: str
    facts: tuple[tuple[str, str], ...]
    cases: tuple[tuple[str, ...], ...]
    """As `CASES`."""
    conditions: tuple[tuple[str, ...], ...]
    """As `CONDITIONS`."""


@dataclass(frozen=True, slots=True)
class ClauseSheet:
    """One clause with everything that decides it."""

    title: str
    facts: tuple[tuple[str, str], ...]
    scenarios: tuple[tuple[str, str], ...]
    """Name and file of each scenario."""
    unplayed: str
    """Why there are none; empty where there are."""
    rows: tuple[RowSheet, ...]


def clause_sheet(profile: GameProfile, clause: Clause, files: Mapping[str, tuple[Path, ...]]) -> ClauseSheet:
    """Return what is to be reviewed of a clause in a game.

    Args:
        profile: The game.
        clause: A clause of its catalogue.
        files: Files of the scenarios of each clause; none at all where no scenarios are installed.
    """
    rules = deciding_rules(profile, clause)
    facts = [("cite", clause.cite), ("kind", clause.kind)]
    facts += [(f"law, {one.place}", _law(one)) for one in clause.law] or [("law", clause.unread or "not catalogued")]
    if not rules:
        facts.append(("not checked", clause.why_unchecked or "It does not concern this game."))
    if clause.device:
        facts.append(("needs at the table", clause.device))
    played = tuple((file.stem, file.as_posix()) for file in files.get(clause.ident, ()))
    unplayed = "" if played else "none" if files else "not installed here"
    return ClauseSheet(f"{clause.ident}: {clause.about}", tuple(facts), played, unplayed, tuple(map(_row, rules)))


def _law(one: LawDigest) -> str:
    text = load_texts()[one.file]
    return f"sha256 {one.sha256}; {text.title}: {text.edition}, {text.in_force}; compared on {text.read}"


def _row(rule: ClauseRule) -> RowSheet:
    facts = [("cites", ", ".join(rule.cites)), ("basis", rule.basis), ("who acts", rule.actor)]
    if rule.needs:
        facts.append(("needs keyed", ", ".join(rule.needs)))
    facts += [(name, _value(value)) for name, value in rule.params if not (name == "awaits" and rule.clears)]
    facts += [("decided by", ", ".join(rule_deciders(rule)) or "nothing"), ("also read by", _readers(rule))]
    conditions = (
        (one.id, _condition(inspect.getdoc(one.check) or ""), ", ".join(one.on))
        for one in CHECKS
        if rule.key in one.rules
    )
    return RowSheet(rule.key, tuple(facts), tuple(_cases(rule)), tuple(conditions))


def _condition(doc: str) -> str:
    """Return the condition that the summary of a check states, without what the check does with it."""
    words = doc.partition("\n")[0].removeprefix("Report ").removeprefix("that ")
    return f"{words[:1].upper()}{words[1:]}"


def _readers(rule: ClauseRule) -> str:
    return ", ".join(name for name in rule_readers(rule) if name not in rule_deciders(rule)) or "nothing"


def _value(value: object) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def _cases(rule: ClauseRule) -> Iterator[tuple[str, ...]]:
    for one in rule.records:
        verdicts = rule.verdicts(one.of)
        if verdicts or one.case.startswith("duty"):
            yield one.case, " ".join(verdicts) or "duty", one.says, _clearing(rule, one)
    for refused in load_refusals().values():
        if rule.key in refused.under:
            yield refused.name, "input refused", refused.says, "nothing: the input changes nothing"


def _clearing(rule: ClauseRule, one: CaseRecord) -> str:
    if one.given:
        return _steps(rule.clears) or one.given
    return _steps(one.clears) or "nothing: it is a notice or a duty"


def _steps(steps: tuple[ClearingStep, ...]) -> str:
    return "; then ".join(" or ".join(_words(one) for one in step if one.kind != UNSAID) for step in steps)


def _words(one: Fact) -> str:
    """Return a clearing condition in words, about the field of the record that names its subject."""
    return fact_words(one.kind, one.subject if one.subject in {None, REST} else f"{{{one.subject}}}")


def as_markdown(title: str, sheets: list[ClauseSheet]) -> str:
    """Return the sheets as a Markdown page, with the digest of all before its last line."""
    return _signed("\n\n".join((f"# {title}", *(part for sheet in sheets for part in _markdown(sheet)))), "{}")


def _markdown(sheet: ClauseSheet) -> Iterator[str]:
    yield f"## {_plain(sheet.title)}"
    played = ", ".join(f"[{_plain(name)}]({quote(file)})" for name, file in sheet.scenarios)
    yield f"{_list(sheet.facts)}\n- scenarios: {played or sheet.unplayed}"
    for row in sheet.rows:
        yield f"### Row `{row.title}`"
        yield _list(row.facts)
        yield from (_table(head, rows) for head, rows in ((CASES, row.cases), (CONDITIONS, row.conditions)) if rows)


def _list(facts: tuple[tuple[str, str], ...]) -> str:
    return "\n".join(f"- {name}: {_plain(value)}" for name, value in facts)


def _table(head: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> str:
    lines = (head, ("---",) * len(head), *rows)
    return "\n".join(f"| {' | '.join(_plain(cell) for cell in line)} |" for line in lines)


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def as_html(title: str, sheets: list[ClauseSheet]) -> str:
    """Return the sheets as an HTML page, with the digest of all before its last line."""
    head = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        "<style>body{font:15px sans-serif;max-width:75em;margin:2em auto}table{border-collapse:collapse;margin:1em 0}"
        "td,th{border:1px solid #999;padding:.3em .6em;text-align:left;vertical-align:top}</style></head><body>"
    )
    body = "\n".join(part for sheet in sheets for part in _html(sheet))
    return _signed(f"{head}\n<h1>{escape(title)}</h1>\n{body}", "<p>{}</p></body></html>")


def _html(sheet: ClauseSheet) -> Iterator[str]:
    yield f"<h2>{escape(sheet.title)}</h2>"
    played = ", ".join(f'<a href="{escape(quote(file))}">{escape(name)}</a>' for name, file in sheet.scenarios)
    yield _html_list(sheet.facts, f"scenarios: {played or sheet.unplayed}")
    for row in sheet.rows:
        yield f"<h3>Row <code>{escape(row.title)}</code></h3>"
        yield _html_list(row.facts)
        yield from (
            _html_table(head, rows) for head, rows in ((CASES, row.cases), (CONDITIONS, row.conditions)) if rows
        )


def _html_list(facts: tuple[tuple[str, str], ...], *marked_up: str) -> str:
    items = (*(f"{escape(name)}: {escape(value)}" for name, value in facts), *marked_up)
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


def _html_table(head: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in line)}</tr>\n" for line in rows)
    return f"<table><tr>{top}</tr>\n{lines}</table>"


def _signed(page: str, line: str) -> str:
    digest = hashlib.sha256(page.encode()).hexdigest()
    return f"{page}\n\n{line.format(f'SHA-256 of the page above this line: {digest}')}"
