"""The page of the scenario language: header keys, events, macros, expectations; its lists come from the reader."""

import dataclasses
from collections.abc import Mapping
from typing import Final

from _generate.markdown import code, page, table
from pitwarden.rules.profile.library import load_library
from pitwarden.scenario.arguments import MAX_TICKS, PACE_MS
from pitwarden.scenario.device_events import DEVICE_WORDS
from pitwarden.scenario.expectations import DUTIES, QUALIFIERS, STATUSES, VERDICTS
from pitwarden.scenario.header import ScenarioHeader
from pitwarden.scenario.input_events import ACTS, SHORT
from pitwarden.scenario.macros import MACROS
from pitwarden.scenario.vocabulary import TABLE_WORDS

EXAMPLE: Final = """\
title: one face-up card goes to the rack, the second voids the round
cites: 13:69F-36.14(a)
game: TAB
boxes: 2
---
# The sentence of the text that decides, as a comment.
open
round times=3
kp.boxes 1 2
kp.deal
sh.card 9H up       -> TAB-36 RACK
sh.card 2C up       -> TAB-36 VOID SHUFFLE basis=text
"""

HEADER: Final[Mapping[str, str]] = {
    "title": "One sentence: what happens and what the judge must publish. Required.",
    "game": "The game, by its short name or by its name in a table file. Required.",
    "profiles": "Folder of the house's own game profiles, relative to the file; `examples`: those of the package.",
    "cites": "The clauses of the regulation that decide.",
    "covers": "Further catalogue numbers that the file tests; the number in the file name is one already.",
    "example": "Worked examples of the catalogue that the file plays, such as `TAB-36` or `A9-5`.",
    "positions": "Betting positions of the table.",
    "boxes": "Number of boxes that macros play.",
    "devices": "Devices with their properties: `shoe auto side=left`, `shuffler counts=no`, `reader visible=unknown`.",
    "decks": "Decks with their colors: `A red, B blue`.",
    "in_set": "Number of decks in the set.",
    "without": "A variant of the deal, such as `hole_card`.",
    "mode": "Way of dealing: `manual_shoe`, `auto_shoe` or `hand`.",
    "inputs": "`all`, or the acts that are keyed at this table.",
    "options": "Keys of `[rules]` with their values: `face_up_scope=round, shuffle_audit=yes`.",
    "start": "Time of day at which the file starts, HH:MM.",
    "day_start": "Start of the gaming day, HH:MM.",
    "wagers": "Optional wagers of blackjack that are offered, by section.",
    "pay": "Posted pay tables and limits in cents: `suited_royals A, ib D maximum=10000`.",
    "rack": "Side of the discard rack: `left` or `right`.",
    "reveals": "`strict`: each reveal must be named. `named`: only the named ones are compared.",
}
"""The keys of a header."""

_FIELD_OF_KEY: Final[Mapping[str, str]] = {
    "start": "start_minute", "day_start": "day_start_minute", "reveals": "strict_reveals",
}  # fmt: skip

MACRO_WORDS: Final[Mapping[str, str]] = {
    "open": "Open the table: decks, inspections, the opening of the cards, shuffle, load, cut.",
    "deal": "Deal the initial cards of a round.",
    "round": "Play a complete round. `times=3` plays several.",
    "shuffle": "Shuffle all cards and load the shoe again; by hand where no shuffler is on the table.",
    "stand": "All boxes that did not decide yet stand, in 3 Card Blitz they play; `stand 1 3` names some.",
    "shoe": "Play until few cards are left: `shoe left=12`. For tests of a shoe that runs out.",
}

EXPECTATIONS: Final = (
    ("`TAB-36 RACK`", "An irregularity under this number with exactly these verdict words."),
    ("`TAB-01 HOLD [ALERT]`", "A word in brackets may be published or not."),
    ("`TAB-36 cleared`", "A change of status."),
    ("`CB-14 due`", "A duty."),
    ("`CB-14|CB-22 due`", "One of two numbers, where two sections say the same."),
    ("`refused TAB-08`", "A refused input."),
    ("`reveal box2.1 9H`", "A revealed card and its slot."),
    ("`corrected box2.2 box3.2`", "A revealed card that was published at the first place lies at the second."),
    ("`answer bj`", "A revealed answer of the hole-card reader: `bj` or `no`."),
    ("`no reveal`", "No card is revealed on this line."),
    ("`outcome box2 suited_royals win 40 to 1`", "The result of a wager. `no outcome`: none is published."),
    ("`unfit IB-07`", "The set-up is rejected under this number."),
    ("`permit withheld`", "The deal permit after this line: `granted` or `withheld`."),
    ("`check.failed`", "A check failed by itself."),
    ("`nothing`", "No output at all."),
    ("`maybe ...`", "Allowed and not required, where the text sets no moment."),
)


def header_keys() -> set[str]:
    """Return the keys that the header's record has, as they are written in a file."""
    written = {field: key for key, field in _FIELD_OF_KEY.items()}
    # `profiles` has no field: it is where the game was found.
    return {written.get(one.name, one.name) for one in dataclasses.fields(ScenarioHeader)} | {"profiles"}


def scenario_language() -> str:
    """Return the page of the scenario language."""
    acts = (
        (code(act), ", ".join(code(short) for short, (of, _) in SHORT.items() if of == act)) for act in sorted(ACTS)
    )
    return page(
        "Scenario language",
        "A scenario is a text file that says what happens at a table and what the judge must publish. `pitwarden judge "
        "FILE` plays it; `pitwarden judge --expand FILE` shows the lines that a macro stands for, and `pitwarden judge "
        "--words GAME` the words of one game with their arguments.",
        f"```scn\n{EXAMPLE}```",
        "## Header",
        "`KEY: VALUE` lines before `---`.",
        table(("key", "meaning"), ((code(key), words) for key, words in HEADER.items())),
        f"Games: {', '.join(code(name) for name in load_library().games)}.",
        "## Lines",
        "One event on each line: its word, its arguments, and after `->` what must follow. `#` begins a comment. An "
        "expectation may continue on a line that begins with `->`; several are separated by `;`.",
        "## Times",
        f"A line happens {PACE_MS // 1000} seconds after the line before. `+30s`, `+5m`, `+2h` or `+500ms` in front "
        "of it sets another distance, `@10:00` a time of day, `@+1d 08:00` a time of the next day. The clock ticks "
        f"between two lines, at most {MAX_TICKS} times. What a tick causes belongs to the line before it.",
        "## Events of devices",
        ", ".join(code(word) for word in DEVICE_WORDS) + ". `dev=shoe2` names another device than the usual one.",
        "## Events of the table",
        ", ".join(code(word) for word in TABLE_WORDS) + ".",
        "## Inputs",
        "The fields of each act are in the [reference of acts](acts.md).",
        table(("act", "short words"), acts),
        "## Macros",
        "A macro stands for honest play.",
        table(("macro", "meaning"), ((code(name), MACRO_WORDS[name]) for name in MACROS)),
        "## Expectations",
        table(("expectation", "meaning"), EXPECTATIONS),
        f"Verdict words: {', '.join(VERDICTS)}.",
        f"Statuses: {', '.join(STATUSES)}. Duties: {', '.join(DUTIES)}.",
        f"Facts that narrow an expectation, as in `box=2`: {', '.join(QUALIFIERS)}.",
        "## What must be named",
        "An irregularity, a duty, a refusal or a change of status that the file does not name is an error. Exceptions: "
        "reveals without `reveals: strict`; notices with CONTINUE; the clearing of RACK, BURN, USE_NEXT, OPTION and "
        "HAND_DEAD, which no device senses; the shuffle, burn and cut duties of every shoe while they are not overdue.",
        "The shuffle audit is off in a scenario, since macros deal in a fixed order; `options: shuffle_audit=yes` "
        "turns it on. A file without expectations and without `covers:` is a question: it agrees unless a line cannot "
        "be played. A table that would be refused at start is refused here too, unless a line expects it with `unfit`.",
    )
