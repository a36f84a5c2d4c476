"""Acts of the console alone: shelve, lift, review, note, silence, and the start of a shift. Each is in the audit.

They change nothing at a table, so that no table answers them. A text that names a card is refused during a round, as at
the table: a card may lie face down. It is refused as well while the table is not live, since a round may run. The name
of a device belongs to no table: it never names a card.
"""

from collections.abc import Callable, Mapping
from typing import Final, Literal, get_args

from pitwarden_client.events.named_cards import text_names_card
from pitwarden_console.alarms.sound import AlarmName, SilenceBook
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.board.snapshot import NOTE, OpenItem
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.people.accounts import Account
from pitwarden_console.people.audit import Audit
from pitwarden_console.roles import AccountRole
from pitwarden_console.site_time import SiteTime
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.remarks import IncidentNote, RemarkBook
from pitwarden_console.store.shelves import MAX_SHELF_MS, Shelf

HouseAct = Literal["shelve", "unshelve", "seen", "note", "silence", "shift", "report"]
_FLOOR: Final[frozenset[AccountRole]] = frozenset({"floor", "supervisor"})
_MAY: Final[Mapping[HouseAct, frozenset[AccountRole]]] = {
    **dict.fromkeys(get_args(HouseAct), _FLOOR),
    "note": _FLOOR | {"surveillance"},
    "report": _FLOOR | {"surveillance", "compliance"},
}
# Characters of a reason or a note at least: shorter ones explain nothing to a later reader.
MIN_TEXT: Final = 10
# Characters of a reason or a note at most, as of a reason at the table.
MAX_TEXT: Final = 500
_MINUTE_MS: Final = 60_000


class HouseActError(Exception):
    """An act of the console that is not possible. Policy: show the sentence; nothing was done.

    Example: an irregularity of priority 1 cannot be shelved.
    """


def may(account: Account | None, act: HouseAct) -> bool:
    """Return whether an account may do `act`; no one may without an account."""
    return account is not None and account.role in _MAY[act]


class HouseActs:
    """Acts of the console, with their audit. The caller has checked `may`.

    `mark` is called for a table whose pages have to be rendered again.
    """

    def __init__(
        self, database: HistoryDatabase, board: PitBoard, audit: Audit, clock: ConsoleClock,
        *, time: SiteTime, silences: SilenceBook, mark: Callable[[TableKey], None],
    ) -> None:  # fmt: skip
        self.remarks = RemarkBook(database)
        self._database, self._board, self._audit = database, board, audit
        self._clock, self._time, self._silences, self._mark = clock, time, silences, mark

    async def shelve(self, account: Account, key: TableKey, ref: str, *, minutes: str, reason: str) -> None:
        """Shelve what is open, at most for an hour and never across a shift.

        Raises:
            HouseActError: It is more urgent, shelved already, not open, or the reason or the time is not valid.
            StoreError: The database failed; nothing is shelved.
        """
        item, now_ms = self._open(key, ref), self._clock.utc_ms()
        if item.priority < NOTE:
            raise HouseActError("Only priority 3 can be shelved: the others ask for an act.")
        if item.is_shelved:
            raise HouseActError("It is on the shelf already.")
        most = MAX_SHELF_MS // _MINUTE_MS
        if not (minutes.isascii() and minutes.isdigit() and 1 <= int(minutes[:3]) <= most):
            raise HouseActError(f"Shelve for 1 to {most} minutes.")
        ends_ms = min(now_ms + int(minutes[:3]) * _MINUTE_MS, self._time.shift_ms(now_ms)[1])
        made = Shelf(0, self._table_id(key), ref, account.person, self._text(key, reason), now_ms, ends_ms)
        await self._record("shelve", account, key, ref, text=made.reason, ends_ms=ends_ms)
        await self._board.shelves.put(self._database, made)
        self._mark(key)

    async def unshelve(self, account: Account, key: TableKey, ref: str) -> None:
        """Lift what is shelved; it returns as it was. What has returned by itself is seen by this.

        Raises:
            HouseActError: It is not shelved.
            StoreError: The database failed; it is as it was.
        """
        now_ms = self._clock.utc_ms()
        one = self._board.shelves.of(self._table_id(key), ref)
        if one is None:
            raise HouseActError("It is not on the shelf.")
        over = one.is_over(now_ms)
        await self._record("seen" if over else "unshelve", account, key, ref)
        await self._board.shelves.close(self._database, one, "returned" if over else "lifted", now_ms, account.person)
        self._mark(key)

    async def note(self, account: Account, key: TableKey, ref: str, *, text: str) -> None:
        """Add a note to an incident, open or ended.

        Raises:
            HouseActError: No such incident is stored, or the text is too short or long, or names a card in a round.
            StoreError: The database failed; there is no note.
        """
        await self._refuse_unknown(key, ref)
        made = IncidentNote(self._clock.utc_ms(), account.person, self._text(key, text))
        await self._record("note", account, key, ref, text=made.text)
        await self.remarks.add_note(self._table_id(key), ref, made)

    async def look(self, account: Account, key: TableKey, ref: str) -> None:
        """Record that a person has seen an incident, open or ended. At the table it acknowledges nothing.

        Raises:
            HouseActError: There is no such incident.
            StoreError: The database failed.
        """
        await self._refuse_unknown(key, ref)
        if await self.remarks.add_look(self._table_id(key), ref, self._clock.utc_ms(), account.person):
            await self._record("seen", account, key, ref)

    async def silence(self, account: Account, pit: str | None) -> None:
        """Silence what sounds in a pit for a minute.

        Raises:
            HouseActError: Nothing sounds.
            StoreError: It could not be recorded, and sounds on.
        """
        now_ms = self._clock.utc_ms()
        names = self._silences.sounding(self._board.in_pit(pit), now_ms).names
        if not names:
            raise HouseActError("Nothing sounds.")
        listed = [f"{name.key.name} {name.ref}" for name in names]
        await self._audit.add("silence", person=account.person, role=account.role, pit=pit, alarms=listed)
        self._silences.silence(names, account.person, now_ms)
        for key in {name.key for name in names}:
            self._mark(key)

    async def start_shift(self, account: Account, *, pit: str, device: str, sound: str) -> None:
        """Record who watches which pit from which device, and whether the tone was played there.

        Raises:
            HouseActError: The device has no name, or one that names a card.
            StoreError: The database failed.
        """
        named = " ".join(device.split())[:60]
        if not named:
            raise HouseActError("Name the device, for example: tablet 4.")
        if text_names_card(named):
            raise HouseActError("The name of a device must not name a card.")
        played = "played" if sound == "played" else "not played"
        await self._audit.add(
            "shift", person=account.person, role=account.role, pit=pit, device=named, sound=played
        )  # fmt: skip

    def _open(self, key: TableKey, ref: str) -> OpenItem:
        table = self._board.snapshots[key]
        item = next((item for item in table.open if item.ref == ref), None)
        if not table.is_live or item is None:
            raise HouseActError("The table is not live, or this has ended.")
        return item

    async def _refuse_unknown(self, key: TableKey, ref: str) -> None:
        is_open = any(item.ref == ref for item in self._board.snapshots[key].open)
        if not is_open and not await self.remarks.knows(self._table_id(key), ref):
            raise HouseActError("No such incident is stored.")

    def _text(self, key: TableKey, text: str) -> str:
        written = " ".join(text.split())
        if not MIN_TEXT <= len(written) <= MAX_TEXT:
            raise HouseActError(f"Write {MIN_TEXT} to {MAX_TEXT} characters.")
        table = self._board.snapshots[key]
        if text_names_card(written) and table.may_hide_cards:
            when = "In a round" if table.is_live else "While the table is not live"
            raise HouseActError(f"{when} a card may lie face down: name none.")
        return written

    def _table_id(self, key: TableKey) -> int:
        return self._board.feed(key).progress.table_id

    async def _record(
        self, kind: Literal["shelve", "unshelve", "seen", "note"], account: Account, key: TableKey, ref: str,
        *, text: str | None = None, ends_ms: int | None = None,
    ) -> None:  # fmt: skip
        await self._audit.add(
            kind, person=account.person, role=account.role, site=key.site, table=key.name, ref=ref, text=text,
            ends_ms=ends_ms,
        )  # fmt: skip


def alarm_names(names: tuple[AlarmName, ...]) -> str:
    """Return alarms in one text, as a page compares it."""
    return " ".join(f"{name.key.site}/{name.key.name}/{name.ref}" for name in names)
