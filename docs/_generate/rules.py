"""Pages of the rules: clauses, readings, verdicts and the profile of each game."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, get_args

from _generate.markdown import anchor, code, escape, page, table
from pitwarden.rules import load_profile
from pitwarden.rules.engine.coverage import deciding_rules, rule_deciders, rule_readers
from pitwarden.rules.engine.precedence import CANCELLED
from pitwarden.rules.profile.clauses import Clause, clauses_of_game, load_clauses, load_readings
from pitwarden.rules.profile.library import load_library
from pitwarden.rules.profile.profile import ClauseRule, GameProfile
from pitwarden.rules.state.state import ENDS_ROUND
from pitwarden.scenario.report import scenarios_by_clause
from pitwarden_client.events.outputs import Actor, Basis, Verdict

SCENARIOS: Final = Path(__file__).parents[2] / "tests" / "scenarios"

_BASES: Final = {
    "text": "The regulation states the remedy.",
    "default": "The regulation states a duty without a remedy; the remedy is a default of this software.",
    "house": "A policy of the operator or of this software where the regulation is silent.",
    "analogy": "The text is missing from the sources; a sister text is applied.",
}
_ACTORS: Final = {
    "dealer": "Handles the cards.",
    "floorperson": "Confirms inspections, decides alerts, destroys cards, removes decks and devices.",
    "supervisor": "Orders a recut, is notified of reader misuse, overrides a withheld permit.",
}


def profiles() -> dict[str, GameProfile]:
    """Return the profile of every game by its short name, with the usual number of decks."""
    return {name: load_profile(one.name, one.decks) for name, one in load_library().games.items()}


def clauses_page() -> str:
    """Return the page of every clause, by game: cite, kind, basis, check, scenarios."""
    files = scenarios_by_clause(SCENARIOS)
    known = profiles()
    parts = [
        (
            "Every clause that is checked, and for those that are not the reason. The words of a clause are in the "
            "[catalogue](../sources/catalogue.md). Kinds: V void, S shuffle or cut, C card disposal, D device, R "
            "reader, N count, O order, T clock and opening, W wager, draw and pay, H sensed by no device."
        ),
        f"{len(load_clauses())} clauses; {sum(one.ident in files for one in load_clauses())} of them have a scenario.",
    ]
    for game in dict.fromkeys(one.game for one in load_clauses()):
        title = "All games" if game not in known else known[game].title
        parts.append(f"## {title} ({game})")
        own = [one for one in load_clauses() if one.game == game]
        parts += [_clause(one, known, files.get(one.ident, ())) for one in own]
    return page("Clauses", *parts)


def readings_page() -> str:
    """Return the page of every doubtful sentence and its reading."""
    parts = [
        (
            "Where the texts contradict themselves, are misprinted or leave something open: what they say, how "
            "pitwarden reads them, and where the reading is carried out."
        )
    ]
    for one in load_readings():
        parts += [
            anchor(one.ident),
            f"## {one.ident}",
            f"{escape(one.text)}.",
            f"**Reading:** {escape(one.reading)}.",
            f"Carried out by: {escape(one.lives)}.",
        ]
    return page("Readings", *parts)


def verdicts_page() -> str:
    """Return the page of verdict words, actors, bases and precedence."""
    words = ((f"{{term}}`{one}`", _effect(one), _readers_of(one)) for one in get_args(Verdict))
    return page(
        "Verdicts",
        "A verdict says what must happen. The definition of each word is in the [glossary](glossary.md).",
        table(("verdict", "precedence", "code that reads a profile row with it"), words),
        "## Who acts",
        table(("actor", "part"), ((code(one), _ACTORS[one]) for one in get_args(Actor))),
        "## Basis",
        table(("basis", "meaning"), ((code(one), _BASES[one]) for one in get_args(Basis))),
        "## Precedence",
        "Two clauses may report on the same row. A verdict that ends the round cancels the words marked *cancelled by "
        "the end of a round*; duties about a card or a device remain. A deck that must leave the table is not "
        "reshuffled. The rules are in the [catalogue](../sources/catalogue.md#a9).",
        "## Checks and transitions",
        "What reads the rows of the profiles. `check.failed` and `pitwarden clauses` use these names.",
        table(("name", "profile rows"), ((code(name), ", ".join(sorted(keys))) for name, keys in _readers().items())),
    )


def profile_pages() -> dict[str, str]:
    """Return the page of each game's profile, by its file below `docs/`."""
    return {_profile_page(profile): _profile(profile) for profile in profiles().values()}


def profile_page_names() -> frozenset[str]:
    """Return the file below `docs/` of the page of each game's profile."""
    return frozenset(map(_profile_page, profiles().values()))


def _profile_page(profile: GameProfile) -> str:
    return f"reference/profiles/{profile.name}.md"


def _clause(one: Clause, known: dict[str, GameProfile], files: tuple[Path, ...]) -> str:
    own = [
        profile
        for game, profile in known.items()
        if one in set(clauses_of_game(game)) and (not one.games or game in one.games)
    ]
    rules: list[ClauseRule] = [rule for profile in own for rule in deciding_rules(profile, one)]
    if rules:
        checks = sorted({name for rule in rules for name in rule_deciders(rule)})
        readers = sorted({name for rule in rules for name in rule_readers(rule)} - set(checks))
        bases = ", ".join(sorted({rule.basis for rule in rules}))
        also = f"; also read by {', '.join(code(name) for name in readers)}" if readers else ""
        checked = f"Checked by {', '.join(code(name) for name in checks)}{also}; basis {bases}."
    else:
        why = (one.why_unchecked or "it does not concern this game.").removeprefix("No check: ")
        checked = f"Not checked: {escape(why)}"
    facts = [
        f"{escape(one.cite)} · kind {one.kind}",
        checked,
        f"Scenarios: {', '.join(code(file.stem) for file in files)}." if files else "No scenario.",
    ]
    if one.device:
        facts.append(f"Needs at the table: {one.device}.")
    if one.switches:
        facts.append(f"Applies with: {', '.join(code(name) for name in one.switches)}.")
    link = f"[catalogue](../sources/catalogue.md#{one.ident.lower()})"
    return "\n\n".join(
        (anchor(f"clause-{one.ident}"), f"### {one.ident} {escape(one.about)}", f"{' '.join(_sentences(facts))} {link}")
    )


def _sentences(facts: list[str]) -> Iterator[str]:
    for fact in facts:
        yield fact if fact.endswith(".") else f"{fact}."


def _effect(word: Verdict) -> str:
    if word in ENDS_ROUND:
        return "ends the round"
    return "cancelled by the end of a round" if word in CANCELLED else ""


def _readers() -> dict[str, set[str]]:
    """Return the profile rows of all games that each check or transition reads, by its published name."""
    found: dict[str, set[str]] = {}
    for profile in profiles().values():
        for rule in profile.rules:
            for name in (*rule_deciders(rule), *rule_readers(rule)):
                found.setdefault(name, set()).add(rule.key)
    return dict(sorted(found.items()))


def _readers_of(word: Verdict) -> str:
    rules = [rule for profile in profiles().values() for rule in profile.rules]
    with_word = [rule for rule in rules if any(word in verdicts for _, verdicts in rule.cases)]
    return ", ".join(code(name) for name in sorted({name for rule in with_word for name in rule_deciders(rule)}))


def _profile(profile: GameProfile) -> str:
    facts = [
        ("short name", code(profile.game)),
        ("effective", escape(profile.effective)),
        ("source", escape(profile.source)),
        ("decks", ", ".join(map(str, profile.decks))),
        ("cards", str(profile.total)),
        ("copies of each card", str(profile.copies)),
        ("10s in the pack", "yes" if profile.tens else "no"),
        ("positions", ", ".join(map(str, profile.positions))),
        ("first card burned", "yes" if profile.burn else "no"),
        ("ways of dealing", ", ".join(profile.modes)),
        ("round begins with", ", ".join(code(act) for act in profile.start)),
        ("windows", ", ".join(profile.keys.windows)),
        ("decisions", ", ".join(profile.keys.decisions)),
        ("wagers", ", ".join(profile.keys.wagers)),
        ("further acts", ", ".join(code(act) for act in profile.keys.acts)),
    ]
    passes = (
        (one.name, one.to, str(one.times), "up" if one.up else "down", ", ".join(one.ends), one.cite, one.variant)
        for one in profile.passes
    )
    rules = (
        (
            code(one.key), _link(one.clause), ", ".join(one.cites), one.basis, one.actor,
            "; ".join(f"{case}: {' '.join(words)}" for case, words in one.cases),
            "; ".join(f"{name} = {_value(value)}" for name, value in one.params),
        )
        for one in profile.rules
    )  # fmt: skip
    parts = [
        table(("fact", "value"), facts),
        "## Deal",
        table(("pass", "to", "cards", "face", "ends with", "cite", "variant"), passes)
        if profile.passes
        else "No cards are dealt.",
        "## Rules",
        table(("row", "clause", "cites", "basis", "actor", "verdicts by case", "parameters"), rules),
    ]
    if profile.pay:
        parts.append("## Pay tables")
        for one in profile.pay:
            parts.append(f"### {one.wager.replace('_', ' ')} {one.name}".strip())
            least = " The house may pay more." if one.at_least else ""
            parts.append(f"{', '.join(one.cites)}.{least}")
            parts.append(table(("line", "pays"), ((code(line), pays) for line, pays in one.lines)))
    return page(f"Profile: {profile.title}", *parts)


def _link(clause: str) -> str:
    known = clause in {one.ident for one in load_clauses()}
    return f"[{clause}](../clauses.md#clause-{clause.lower()})" if known else clause


def _value(value: object) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)
