"""The page of the command line, from the parser of all commands."""

import argparse
from collections.abc import Iterator

from _generate.markdown import anchor, code, escape, escape_outside_code, page, table
from pitwarden.cli.main import build_parser, find_commands

_EXIT_CODES = (
    ("0", "Done, and the answer is yes."),
    ("1", "Done, and the answer is no: a difference, a finding, no reply."),
    ("2", "Wrong arguments, or a file that cannot be read."),
    (
        "78",
        "The configuration, a key or a journal was rejected (`EX_CONFIG`). systemd does not restart such a service.",
    ),
)


def whole_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands, as `pitwarden --help` uses it."""
    return build_parser(find_commands())


def subparsers(of: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the commands below a parser by their name, without aliases."""
    found: dict[str, argparse.ArgumentParser] = {}
    for action in of._actions:  # noqa: SLF001  argparse has no public way to read a parser
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  as above
            for name, inner in action.choices.items():
                if inner not in found.values():
                    found[name] = inner
    return found


def commands_page() -> str:
    """Return the page of every command, option and exit code."""
    top = whole_parser()
    parts = [
        (
            "`pitwarden COMMAND --help` prints the same for the installed version. Commands come from "
            "the service and, where "
            "they are installed, from further packages."
        ),
        "## Exit codes",
        table(("code", "meaning"), _EXIT_CODES),
        "## Commands",
    ]
    for name, inner in subparsers(top).items():
        parts += _command(f"pitwarden {name}", inner, 3)
    return page("Command line", *parts)


def _command(name: str, of: argparse.ArgumentParser, level: int) -> Iterator[str]:
    yield anchor(f"command-{name}")
    yield f"{'#' * level} {name}"
    yield _sentence(of.description or "")
    yield f"```text\n{_usage(of)}\n```"
    rows = [_row(action) for action in of._actions if _is_shown(action)]  # noqa: SLF001  as above
    if rows:
        yield table(("argument", "default", "meaning"), rows)
    for inner_name, inner in subparsers(of).items():
        yield from _command(f"{name} {inner_name}", inner, level + 1)


def _usage(of: argparse.ArgumentParser) -> str:
    return " ".join(of.format_usage().removeprefix("usage: ").split())


def _is_shown(action: argparse.Action) -> bool:
    hidden = isinstance(action, argparse._HelpAction | argparse._SubParsersAction)  # noqa: SLF001  as above
    return not hidden and action.help != argparse.SUPPRESS


def _row(action: argparse.Action) -> tuple[str, str, str]:
    value = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if action.choices is not None and action.metavar is None:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    takes = action.nargs != 0
    names = [f"{option} {value}" if takes else option for option in action.option_strings] or [value]
    default = "" if action.default in (None, False, argparse.SUPPRESS) else code(str(action.default))
    text = (action.help or "") % {**vars(action), "prog": "pitwarden"} if action.help else ""
    return ", ".join(code(name) for name in names), default, _sentence(text)


def _sentence(text: str) -> str:
    """Return a help text as a sentence: a capital at its start, a period at its end."""
    if not text:
        return ""
    made = escape_outside_code(text) if "`" in text else escape(text)
    return made[0].upper() + made[1:] + ("" if made.endswith((".", "?")) else ".")
