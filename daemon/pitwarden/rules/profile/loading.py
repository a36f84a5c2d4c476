"""Reads a profile file.

Reads the `[keys]` of a profile: what people may key at this game beside what is keyed at all games.

Reads `profiles/<name>.toml` with the rules that all games share; a wrong or contradictory file is refused by row.
"""

import re
from collections.abc import Mapping
from typing import Final, get_args

from pitwarden.rules.profile.case_records import NAMES as FIELDS
from pitwarden.rules.profile.case_records import CaseRecord, load_cases, parse_case_rows
from pitwarden.rules.profile.clauses import load_readings, parse_clause_rows
from pitwarden.rules.profile.facts import ClearingStep, parse_step
from pitwarden.rules.profile.pay_tables import PayTable
from pitwarden.rules.profile.profile import (
    ClauseRule,
    DealPass,
    GameKeys,
    GameProfile,
    Mode,
    OpenSwitch,
    RegulationList,
    SwitchDuty,
    TableNeeds,
    Target,
    Value,
)
from pitwarden.rules.profile.ranked_rows import refuse_unranked
from pitwarden.rules.profile.texts import is_catalogued
from pitwarden.rules.profile.toml_rows import TomlRow, parse_toml
from pitwarden_client.events.dealer_play import KpDecision
from pitwarden_client.events.dealer_wagers import WagerKind, Window
from pitwarden_client.events.outputs import Actor, Basis, Verdict

_DECISIONS: Final = get_args(KpDecision.model_fields["decision"].annotation)
_WINDOW_ENDS: Final = ("kp.open ", "kp.close ")

NAMED: Final = "bonus"
"""Kind of wager that may have a name of its own."""
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")

OF_SOME_GAMES: Final = frozenset({
    "kp.antes_collected", "kp.bonus_settled", "kp.burn_request", "kp.choice", "kp.dealer_draw",
    "kp.dealer_first_missed", "kp.dealer_reveal", "kp.dealt", "kp.dice", "kp.dice_settled", "kp.dice_wager", "kp.hands",
    "kp.hole_up", "kp.ib_settled", "kp.insurance_settled", "kp.no_cards", "kp.one_card", "kp.option",
    "kp.refuse", "kp.reveal", "kp.skipped", "kp.spread_request", "kp.stub", "kp.ten", "ft.notified",
    "ft.reader_visible", "ft.ten_confirmed", "ft.ten_destroyed", "ft.ten_refuted",
})  # fmt: skip
"""Acts that a game has only when its profile lists them; all others are common to all games."""


def parse_keys(row: TomlRow, passes: tuple[DealPass, ...]) -> GameKeys:
    """Return the keys of a game; ProfileError for one that no terminal knows, or a window that none opens."""
    item = TomlRow(row.file, f"{row.place}keys.", row.table("keys"))
    made = GameKeys(
        windows=_known(item, "windows", get_args(Window)),
        decisions=_known(item, "decisions", _DECISIONS),
        wagers=_known(item, "wagers", get_args(WagerKind)),
        acts=_known(item, "acts", tuple(sorted(OF_SOME_GAMES))),
        named=_named(item),
    )
    item.refuse_rest()
    if "kp.hands" in made.acts and any(one.to == "community" for one in passes):
        raise item.wrong("acts", "hands are not counted by 'kp.hands' where there are community cards: leave it out")
    ends = (end for one in passes for end in one.ends)
    for end in ends:
        window = next((end.removeprefix(start) for start in _WINDOW_ENDS if end.startswith(start)), None)
        if window is not None and window not in made.windows:
            raise item.wrong("windows", f"a pass ends with {end!r}, and the game has no such window")
        if end in OF_SOME_GAMES and end not in made.acts:
            raise item.wrong("acts", f"a pass ends with {end!r}, and the game has no such key")
    return made


def _named(row: TomlRow) -> tuple[str, ...]:
    """Return the names of bonus wagers, none without the row; each is keyed as `wager=bonus name=...`."""
    names = row.words("named") if "named" in row.data else ()
    for name in names:
        if not _NAME.fullmatch(name) or name in get_args(WagerKind):
            raise row.wrong(
                "named", f"{name!r} is no name for a wager: small letters, digits and _, and no kind of wager"
            )
    if names and NAMED not in row.words("wagers"):
        raise row.wrong("wagers", f"wagers with names are keyed as {NAMED!r}: add it")
    return names


def _known(row: TomlRow, name: str, known: tuple[str, ...]) -> tuple[str, ...]:
    words = row.words(name)
    for word in words:
        if word not in known:
            raise row.wrong(name, f"{word!r} is none of {', '.join(known)}")
    return words


_TARGETS: Final[tuple[Target, ...]] = get_args(Target)
_BASES: Final[tuple[Basis, ...]] = get_args(Basis)
_ACTORS: Final[tuple[Actor, ...]] = get_args(Actor)
_LISTS: Final[tuple[RegulationList, ...]] = get_args(RegulationList)
_SWITCHES: Final[tuple[OpenSwitch, ...]] = get_args(OpenSwitch)
_MODES: Final[tuple[Mode, ...]] = get_args(Mode)
_VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
HOUSE_CLAUSES: Final = ("PW-", "A9-")
"""Beginnings of the numbers that stand in no list: policy of the house, and clauses that act together."""
_FIXED: Final = frozenset({"clause", "cites", "basis", "actor", "needs"})


def parse_profile(
    file: str, text: str, common: str = "", decks: int | None = None, without: tuple[str, ...] = ()
) -> GameProfile:
    """Return the profile in `text`, with the rules of `common` unless it has its own; ProfileError names the row."""
    row = parse_toml(file, text)
    rules = {**parse_toml(file, common).tables("rules"), **row.tables("rules")}
    passes = tuple(_pass(item) for item in row.rows("passes"))
    copies = _decks(row, decks)
    own = parse_case_rows(TomlRow(file, "cases.", row.table("cases"))) if "cases" in row.data else {}
    made = GameProfile(
        name=row.text("name"),
        game=row.text("game"),
        title=row.text("title"),
        effective=row.text("effective"),
        source=row.text("source"),
        decks=row.numbers("decks"),
        total=row.number("cards") * copies,
        copies=copies,
        tens=row.flag("tens"),
        positions=row.numbers("positions"),
        start=row.words("start"),
        burn=row.flag("burn"),
        modes=_modes(row),
        passes=tuple(one for one in passes if not one.variant or one.variant not in without),
        rules=tuple(_rule(key, rules[key], own.get(key)) for key in sorted(rules)),
        keys=parse_keys(row, passes),
        listed=_lists(row),
        needs=_needs(row),
        clauses=parse_clause_rows(row),
        pay=tuple(table for wager, item in row.tables("pay").items() for table in _pay(wager, item)),
    )
    _ = row.number("usual") if "usual" in row.data else None
    row.refuse_rest()
    for key in own:
        if key not in rules:
            raise row.wrong(f"cases.{key}", "the game has no such row")
    _refuse_unknown_clauses(row, made)
    refuse_unranked(row, made)
    for variant in without:
        if all(one.variant != variant for one in passes):
            raise row.wrong("passes", f"no pass belongs to a variant {variant!r}")
    return made


def _refuse_unknown_clauses(row: TomlRow, made: GameProfile) -> None:
    for clause in made.clauses:
        if clause.game != made.game:
            raise row.wrong(
                f"clauses.{clause.ident}", f"a clause of this game has a number that begins with {made.game}-"
            )
    known = {clause.ident for clause in made.catalogue()} | {reading.ident for reading in load_readings()}
    for rule in made.rules:
        if rule.clause not in known and not rule.clause.startswith(HOUSE_CLAUSES):
            reason = f"{rule.clause!r} is in no list of clauses: add [clauses.{rule.clause}] with kind, cite and about"
            raise row.wrong(f"rules.{rule.key}.clause", reason)


def _pay(wager: str, row: TomlRow) -> tuple[PayTable, ...]:
    """Return the pay tables of one wager: `cites`, perhaps `at_least`, and a table of lines under each name."""
    cites, least = row.words("cites"), row.flag("at_least") if "at_least" in row.data else False
    made: list[PayTable] = []
    for name, lines in row.tables("tables").items():
        pays = tuple((line, lines.text(line)) for line in lines.data)
        if not pays or not cites:
            raise row.wrong(f"tables.{name}", "a pay table has lines, and its wager a cite")
        made.append(PayTable(wager, name, cites, pays, least))
    row.refuse_rest()
    return tuple(made)


def _lists(row: TomlRow) -> tuple[tuple[RegulationList, str], ...]:
    """Return the lists that the game was added to, `[listed]` of the file, each with its cite."""
    if "listed" not in row.data:
        return ()
    item = TomlRow(row.file, f"{row.place}listed.", row.table("listed"))
    for name in item.data:
        if name not in _LISTS:
            raise item.wrong(name, f"there is no such list of games: {', '.join(_LISTS)}")
    return tuple((name, item.text(name)) for name in _LISTS if name in item.data)


def _needs(row: TomlRow) -> TableNeeds:
    """Return the requirements on the set-up, `[table]` of the file; none when there is no such table."""
    if "table" not in row.data:
        return TableNeeds()
    item = TomlRow(row.file, f"{row.place}table.", row.table("table"))
    switches = item.rows("switches") if "switches" in item.data else ()
    left = item.text("shoe_left") if "shoe_left" in item.data else ""
    made = TableNeeds(left, tuple(_switch(one) for one in switches))
    item.refuse_rest()
    return made


def _switch(row: TomlRow) -> SwitchDuty:
    made = SwitchDuty(row.one_of("switch", _SWITCHES), row.text("clause"), row.words("cites"), row.text("reason"))
    row.refuse_rest()
    return made


def _modes(row: TomlRow) -> tuple[Mode, ...]:
    words = row.words("modes") if "modes" in row.data else _MODES
    made = tuple(mode for mode in _MODES if mode in words)
    if len(made) != len(words):
        raise row.wrong("modes", f"a way of dealing is one of {', '.join(_MODES)}")
    return made


def _decks(row: TomlRow, wanted: int | None) -> int:
    known = row.numbers("decks")
    if not known or min(known) < 1:
        raise row.wrong("decks", "the numbers of decks that the game may be played with are missing here")
    if wanted is None and len(known) > 1:
        raise row.wrong("decks", f"the game is played with {_listed(known)} decks: say how many")
    made = known[0] if wanted is None else wanted
    if made not in known:
        raise row.wrong("decks", f"the game is played with {_listed(known)} decks, not with {made}")
    return made


def _listed(numbers: tuple[int, ...]) -> str:
    return " or ".join(map(str, numbers))


def _pass(row: TomlRow) -> DealPass:
    made = DealPass(
        name=row.text("name"),
        to=row.one_of("to", _TARGETS),
        times=row.number("times"),
        up=row.flag("up"),
        ends=row.words("ends"),
        cite=row.text("cite"),
        variant=row.text("variant") if "variant" in row.data else "",
    )
    row.refuse_rest()
    return made


def _rule(key: str, row: TomlRow, own: tuple[CaseRecord, ...] | None) -> ClauseRule:
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
    basis = row.one_of("basis", _BASES)
    absent = next((cite for cite in cites if basis == "text" and not is_catalogued(cite)), "")
    if absent:
        reason = f"the text of {absent} is not in our sources: a row that cites it has another basis, such as analogy"
        raise row.wrong("basis", reason)
    return ClauseRule(
        key=key,
        clause=row.text("clause"),
        cites=cites,
        basis=basis,
        actor=row.one_of("actor", _ACTORS),
        needs=row.words("needs") if "needs" in row.data else (),
        cases=tuple(cases),
        params=tuple(params),
        clears=_clears(row),
        records=_records(own or load_cases().get(key, ()), row, dict(cases), {name for name, _ in params}),
    )


def _records(
    records: tuple[CaseRecord, ...], row: TomlRow, cases: Mapping[str, tuple[Verdict, ...]], params: set[str]
) -> tuple[CaseRecord, ...]:
    """Return `records`, those of the row's cases; each field of a sentence has a source."""
    for one in records:
        absent = sorted(one.fields - FIELDS - params)
        if absent and one.of in cases:
            raise row.wrong(one.case, f"nothing gives the field {absent[0]!r} of its sentence: add it as a parameter")
    worded = {one.of for one in records}
    for case in cases if records else ():
        if case not in worded:
            raise row.wrong(case, f"no record words this case: the row has {', '.join(sorted(worded))}")
    return records


def _clears(row: TomlRow) -> tuple[ClearingStep, ...]:
    try:
        return tuple(parse_step(step) for step in row.words("awaits")) if "awaits" in row.data else ()
    except ValueError as error:
        raise row.wrong("awaits", str(error)) from None
