"""Vocabulary of a scenario, with arguments, as one game has it: for `pitwarden scenario --words GAME`."""

from collections.abc import Iterator
from typing import Final, get_args

from pydantic.fields import FieldInfo

from pitwarden.rules import GameProfile, load_profile
from pitwarden.rules.profile.library import GameChoice, load_library
from pitwarden.scenario.device_events import DEVICE_WORDS
from pitwarden.scenario.input_events import ACTS, SHORT, USUAL_TEXTS
from pitwarden_client.events.base import Record

DEVICE_ARGUMENTS: Final = {
    "sh.load": "DECK [COUNT]",
    "sh.card": "CARD [up|down] [back=COLOR]",
    "sh.stack": "COUNT [CARD...]",
    "sh.cut": "",
    "sh.empty": "",
    "sh.fault": "jam|stopped|short",
    "sh.unload": "[COUNT]",
    "sf.start": "DECK",
    "sf.done": "DECK COUNT|-",
    "sf.fault": "DECK jam|stopped|incomplete",
    "rd.hole": "",
    "rd.ins": "",
    "rd.res": "bj|no",
    "rd.fault": "[FAULT]",
    "dev.health": "DEVICE STATE",
    "dev.gap": "DEVICE",
    "dev.identified": "DEVICE",
    "dev.restarted": "DEVICE",
    "dev.suspect": "DEVICE",
    "dev.unknown": "DEVICE",
}
"""Arguments of each word for a device; `dev=NAME` names another device than the usual one."""

TABLE_ARGUMENTS: Final = {
    "clk.tick": "",
    "clk.day": "",
    "clk.step": "SECONDS",
    "log.permit": "granted|withheld|expired",
    "log.fault": "FAULT",
}
"""Arguments of each word for the table's own rows."""

_OF_STACKS: Final = "[boxes=N] [fold=1/2] [stub=yes] [done=N|-] [shuffle=no|by-hand] [times=N]"
_HANDS: Final = "[boxes=N] [up=CARD] [hole=CARD] [b1=CARD/CARD] [hit=1/2] [double=1] [split=1] [bj=1] [dealer=bj]"
_OF_HANDS: Final = f"{_HANDS} [reader=no] [times=N]"
_MACROS: Final = {
    "open": "[by=shuffler|hand] [burn=CARD] [tens=N]",
    "stand": "[BOX...]",
    "shuffle": "[DECK] [by=shuffler|hand] [done=N|-]",
    "shoe": "left=N",
}
_SWITCHES: Final = {"exposed": "exposed|unexposed", "ok": "ok|fail", "all_inspected": "all|sampled"}
_OF_THE_GAME: Final = {"wager": "wagers", "window": "windows", "decision": "decisions"}
_WIDTH: Final = 56


def game_words(game: GameChoice) -> Iterator[str]:
    """Yield the vocabulary of `game`, a word with its arguments and its meaning on each line."""
    profile = load_profile(game.name, game.decks, (), game.folder)
    yield f"{profile.title} (game: {game.game})"
    yield "[X] may be omitted; a|b is a choice; `->` begins an expectation. CARD: 9H, 10S, QD, JKR."
    yield from _group("macros", ((f"{word} {args}", "") for word, args in macro_arguments(profile).items()))
    yield from _group("devices", ((f"{word} {DEVICE_ARGUMENTS[word]}", "") for word in DEVICE_WORDS))
    yield from _group("table", ((f"{word} {args}", "") for word, args in TABLE_ARGUMENTS.items()))
    yield from _group("dealer", _acts(profile, "kp."))
    yield from _group("floor and supervisor", _acts(profile, ""))
    yield "by=NAME names the person who keys, as=dealer|floor|supervisor the role."


def macro_arguments(profile: GameProfile) -> dict[str, str]:
    """Return the macros of a game and their arguments."""
    play = _OF_STACKS if profile.in_stacks else _OF_HANDS
    deal = "[boxes=N]" if profile.in_stacks else _HANDS
    return {"open": _MACROS["open"], "deal": deal, "round": play} | {
        name: args for name, args in _MACROS.items() if name != "open"
    }


def _group(name: str, rows: Iterator[tuple[str, str]]) -> Iterator[str]:
    yield f"{name}:"
    for left, meaning in rows:
        yield f"  {left.strip():<{_WIDTH}}  {meaning}".rstrip()


def _acts(profile: GameProfile, lead: str) -> Iterator[tuple[str, str]]:
    """Yield the acts of the dealer (`kp.`), or those of the floor, that this game has."""
    own = {act for game in load_library(None).games.values() for act in _keyed(game)} - set(profile.keys.acts)
    for act in sorted(ACTS):
        if act.startswith("kp.") is not (lead == "kp.") or act in own:
            continue
        model = ACTS[act]
        meaning = (model.__doc__ or "").strip().splitlines()[0]
        yield f"{act} {' '.join(_arguments(model, profile))}", meaning
        for short, (of, fixed) in SHORT.items():
            known = getattr(profile.keys, _OF_THE_GAME.get(next(iter(fixed), ""), ""), ())
            if of == act and (not fixed or not known or next(iter(fixed.values())) in known):
                yield f"{short} {' '.join(_arguments(model, profile, frozenset(fixed)))}", f"short for {act}"


def _keyed(game: GameChoice) -> tuple[str, ...]:
    return load_profile(game.name, game.decks, (), game.folder).keys.acts


def _arguments(model: type[Record], profile: GameProfile, fixed: frozenset[str] = frozenset()) -> Iterator[str]:
    for name, info in model.model_fields.items():
        if name != "act" and name not in fixed:
            text = _argument(name, info, profile)
            yield text if info.is_required() and name not in USUAL_TEXTS else f"[{text}]"


def _argument(name: str, info: FieldInfo, profile: GameProfile) -> str:
    if name in _OF_THE_GAME:
        return "|".join(getattr(profile.keys, _OF_THE_GAME[name]) or [name.upper()])
    if info.annotation is bool:
        return _SWITCHES.get(name, f"{name}=yes|no")
    if "tuple" in str(info.annotation):
        return f"{name.upper()}..."
    choices = [str(one) for one in get_args(info.annotation) if isinstance(one, str) and one]
    text = "|".join(choices) if choices else name.upper()
    return text if info.is_required() else f"{name}={text}" if choices else name.upper()
