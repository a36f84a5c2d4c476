"""`pitwarden group`: the database of a group of judges: its tables as SQL, and who owns which table now."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pitwarden.cli.command import Command, add_commands, chosen_command
from pitwarden.cli.table_file import EX_CONFIG, read_table_file
from pitwarden.config.models import JudgeGroupSection, TableFile
from pitwarden.journal.errors import JournalError
from pitwarden.rules import RULES_VERSION
from pitwarden.system.version import VERSION

_NO_GROUP: Final = "the table file has no section [judge_group]: name the file of a table that a group of judges shares"


def _table_of_a_group(path: Path) -> tuple[TableFile, JudgeGroupSection] | None:
    """Return a table file and its group, or None after printing why there is none."""
    file = read_table_file(path)
    if file is not None and file.judge_group is None:
        print(f"{path}: {_NO_GROUP}", file=sys.stderr)  # noqa: T201  a command talks to a person
    return None if file is None or file.judge_group is None else (file, file.judge_group)


class SqlAction:
    """The action `sql`."""

    name = "sql"
    help = "print the statements with which the owner of the database makes its tables"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--role", default="judge", help="login of the judges, which gets the rights that they need")

    def run(self, args: argparse.Namespace) -> int:
        """Print the statements, which may run again, and return 0."""
        from pitwarden.judge_group.layout import DDL, grants  # noqa: PLC0415  needed here alone

        print(DDL.strip(), grants(args.role), sep="\n", end="")  # noqa: T201  the command's answer
        return 0


class ShowAction:
    """The action `show`."""

    name = "show"
    help = "show the members of a group of judges, and which of them owns each table"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--config", type=Path, required=True, metavar="FILE", help="table file of any of its tables"
        )

    def run(self, args: argparse.Namespace) -> int:
        """Return 0; 1 when a table has no owner or the database is not reached, 78 when the file is refused."""
        found = _table_of_a_group(args.config)
        if found is None:
            return EX_CONFIG
        try:
            lines, sound = asyncio.run(_shown(found[1]))
        except (JournalError, ModuleNotFoundError) as error:
            print(error, file=sys.stderr)  # noqa: T201  as above
            return 1
        print("\n".join(lines))  # noqa: T201  the command's answer
        return 0 if sound else 1


async def _shown(section: JudgeGroupSection) -> tuple[list[str], bool]:
    from pitwarden.judge_group.directory import GroupDirectory  # noqa: PLC0415  an optional library
    from pitwarden.judge_group.group import STATEMENT_S, database_settings  # noqa: PLC0415
    from pitwarden.judge_group.postgresql import DatabaseSession, check_layout  # noqa: PLC0415

    session = DatabaseSession(database_settings(section), "pitwarden group show", STATEMENT_S)
    directory = GroupDirectory(session, session)
    try:
        await check_layout(session)
        members = await directory.members()
        places = await directory.survey(await directory.tables())
    finally:
        await directory.close()
    lines = [
        f"member {one.name}: pitwarden {one.version}, rules {one.rules}{'' if one.accepts else ', NO BROKER'}"
        for one in sorted(members, key=lambda one: one.name)
    ]
    for place in sorted(places.values(), key=lambda one: one.table):
        owner = place.owner if place.has_owner else "NO OWNER"
        judged = f", judged by rules {place.rules}" if place.rules else ", not judged yet"
        lines.append(f"table {place.table}: {owner}, term {place.term}{judged}")
    return lines, all(place.has_owner for place in places.values())


class CopyAction:
    """An action that copies a table's record between the database and a judge's journal."""

    def __init__(self, name: str, words: str, out: str) -> None:
        self.name, self.help, self._out = name, words, out

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="the table file")
        parser.add_argument("--journals", type=Path, required=True, metavar="DIR", help=self._out)

    def run(self, args: argparse.Namespace) -> int:
        """Return 0; 1 when the record cannot be copied, 78 when the file is refused."""
        found = _table_of_a_group(args.config)
        if found is None:
            return EX_CONFIG
        file, group = found
        table, place = f"{file.table.site}/{file.table.table}", args.journals / "judge.sqlite"
        exported = self.name == "export"
        if place.exists() == exported:
            wrong = "is there already: name another folder" if exported else "is no journal of a judge"
            print(f"{place}: {wrong}", file=sys.stderr)  # noqa: T201  as above
            return 1
        args.journals.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            copied = asyncio.run(_copied(group, table, place, exported=exported))
        except (JournalError, ModuleNotFoundError) as error:
            print(error, file=sys.stderr)  # noqa: T201  as above
            return 1
        print(f"{table}: {copied}")  # noqa: T201  the command's answer
        return 0


async def _copied(section: JudgeGroupSection, table: str, place: Path, *, exported: bool) -> str:
    from pitwarden.judge_group.group import STATEMENT_S, database_settings  # noqa: PLC0415  an optional library
    from pitwarden.judge_group.postgresql import DatabaseSession, check_layout  # noqa: PLC0415
    from pitwarden.judge_group.record_copy import export_record, import_record  # noqa: PLC0415

    session = DatabaseSession(database_settings(section), "pitwarden group copy", 10 * STATEMENT_S)
    try:
        await check_layout(session)
        if exported:
            copied = await export_record(session, table, place)
        else:
            copied = await import_record(session, table, place, (RULES_VERSION, VERSION))
    finally:
        await session.close()
    return f"{copied.rows} rows and {copied.outputs} outputs copied"


ACTIONS: Sequence[Command] = (
    SqlAction(),
    ShowAction(),
    CopyAction("export", "copy the record of a table into a journal, for pitwarden journal", "a new folder"),
    CopyAction("import", "copy the journal of a table's former judge into the database", "folder of its judge.sqlite"),
)


class GroupCommand:
    """The command `group` with its actions."""

    name = "group"
    help = "the database of judges that take over from each other: " + ", ".join(action.name for action in ACTIONS)

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments of each action."""
        add_commands(parser, "action", ACTIONS)

    def run(self, args: argparse.Namespace) -> int:
        """Return the action's exit code."""
        return chosen_command(args, "action", ACTIONS).run(args)


COMMAND = GroupCommand()
