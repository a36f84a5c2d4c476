"""The console's application for requests without a server, and tables that answer inputs without a broker."""

from collections.abc import Callable, Mapping
from pathlib import Path

from starlette.types import ASGIApp

from pitwarden_client.events.base import Role
from pitwarden_client.events.inputs import InputReply, TerminalInput
from pitwarden_console.acts.input_link import RoleInputLink
from pitwarden_console.acts.keying import Keying
from pitwarden_console.alarms.watch import AlarmWatch
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.people.audit import Audit
from pitwarden_console.settings.loading import load_settings
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.web.application import ConsoleApplication, ConsoleParts
from pitwarden_console.web.hub import LiveHub


def readable_console_file(*tables: tuple[str, str]) -> str:
    """Return the text of a console file whose pages anyone may read, with the name and the pit of each table."""
    listed = "".join(f'[[table]]\nname = "{name}"\npit = "{pit}"\n' for name, pit in tables)
    return f"""
[site]
name = "silent"
title = "Harbor"
zone = "America/New_York"
gaming_day = "06:00"
[broker]
host = "127.0.0.1"
[web]
sign_in = false
{listed}"""


class AnsweringLink(RoleInputLink):
    """A link whose table answers at once, as `answer` decides; TimeoutError is an answer that was lost."""

    def __init__(self, answer: Callable[[TerminalInput], InputReply | None]) -> None:
        self.fault = ""
        self.keyed: list[tuple[str, TerminalInput]] = []
        self._answer = answer

    async def key(self, table: str, wanted: TerminalInput) -> InputReply:
        self.keyed.append((table, wanted))
        reply = self._answer(wanted)
        if reply is None:
            raise TimeoutError
        return reply


def application(
    file: Path, database: HistoryDatabase, board: PitBoard, hub: LiveHub, clock: ConsoleClock,
    *, links: Mapping[Role, RoleInputLink] | None = None, watch: AlarmWatch | None = None,
) -> ASGIApp:  # fmt: skip
    """Return the application with the settings in `file`."""
    audit = Audit(database, clock)
    made = AlarmWatch(database, board, clock, hub.mark) if watch is None else watch
    parts = ConsoleParts(database, board, hub, clock, audit, Keying(links or {}, audit, clock), made)
    return ConsoleApplication(load_settings(file), parts).asgi()
