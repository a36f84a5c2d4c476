"""Membership of this process in a group of judges: its lease, its tables, and when it loses them.

The lease is renewed at a third of its length. Its end by this process's clock is counted from before the request, less
a margin, so it ends here before it ends in the database. Behind that end nothing is published (`ClaimBook.may_speak`)
and no commit begins. After the next renewal, and before anything is published, each table that is still this run's
gets a new term; its judge continues without a fold. The others are dropped.

Threat: a process that is stopped, cut off or slow, and continues as if it still owned its tables.
"""

import asyncio
import random
import secrets
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import structlog

from pitwarden.journal.errors import JournalError
from pitwarden.judge_group.assignment import (
    OVERDUE_S,
    JudgeFacts,
    PlaceFacts,
    has_excess,
    in_turn,
    refusal,
    share_of,
    tables_to_claim,
)
from pitwarden.judge_group.broker_probes import BrokerProbes
from pitwarden.judge_group.claims import ClaimBook, TableClaim
from pitwarden.judge_group.directory import GroupDirectory, MemberFacts
from pitwarden.judge_group.seat import TableSeat

MARGIN_S: Final = 0.5
"""Part of the lease that this process does not use."""
SURVEY_S: Final = 0.5
"""Time between two reads of the directory; a table without an owner waits for it at the longest."""
AT_END_S: Final = 0.02
"""Time after the end of another member's lease at which the directory is read. It is read at SURVEY_S anyway."""
SETTLED_S: Final = 5.0
"""Calm after which tables move to a member that owns fewer."""
_RETRY_S: Final = (0.1, 0.3)

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """Tables of this member's files by who owns them, as of the last survey."""

    own: int = 0
    elsewhere: int = 0
    ownerless: tuple[str, ...] = ()
    members: tuple[str, ...] = ()


class GroupMember:
    """Member of a group of judges."""

    def __init__(
        self, name: str, judge: JudgeFacts, directory: GroupDirectory, book: ClaimBook, *, lease_s: float
    ) -> None:
        """Prepare a member named `name`, whose leases last `lease_s` seconds."""
        self.name, self.run_id = name, secrets.token_hex(8)
        self._judge = judge
        self._directory, self._book, self._lease_s = directory, book, lease_s
        self._seats: dict[str, TableSeat] = {}
        self._enrolled = set[str]()
        self._lapses = 0
        self._rises = asyncio.Event()
        self._moved_s = 0.0
        self._pause_s = SURVEY_S
        self.counts = GroupCounts()
        self.takeovers = 0
        """Tables claimed since the start."""
        self.progress = 0
        """Turns of the loops, for a watchdog."""

    def join(self, seat: TableSeat) -> None:
        """Serve one more table."""
        self._seats[seat.table] = seat

    def retire(self, seat: TableSeat) -> None:
        """Serve a table no longer. It must have been given back."""
        self._seats.pop(seat.table, None)

    def lease_s(self) -> float:
        """Return how many seconds of the lease are left; 0 without one."""
        return max(0.0, self._book.deadline_s - self._book.now_s())

    async def own(self, seat: TableSeat) -> TableClaim:
        """Return the claim on the table once this member owns it."""
        seat.is_wanted = True
        while (claim := seat.claim) is None:
            seat.claimed.clear()
            await seat.claimed.wait()
        return claim

    async def give_back(self, seat: TableSeat) -> None:
        """End the ownership of a table whose judge has ended, so that another member may claim it at once."""
        claim, seat.claim = seat.claim, None
        seat.is_wanted, seat.is_linked, seat.is_idle, seat.resumed = False, None, None, None
        if claim is None:
            return
        if claim.is_current:
            with suppress(JournalError):  # else the lease of this run ends in a while
                await self._directory.give_back(claim)
        self._book.drop(claim)

    async def run(self) -> None:
        """Renew the lease, and claim and give back tables, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._renewals(), name="group lease")
            group.create_task(self._watch_deadline(), name="group deadline")
            group.create_task(self._surveys(), name="group tables")
            group.create_task(BrokerProbes(self._seats, self._book.now_s, self.name).run(), name="group brokers")

    async def leave(self) -> None:
        """Leave the group, after all tables were given back."""
        with suppress(JournalError):
            await self._directory.leave([self.run_id])
        await self._directory.close()

    def _facts(self) -> MemberFacts:
        tables = sorted((seat.table, *seat.signers) for seat in self._seats.values())
        kind = sha256(repr((self._judge, tables)).encode()).hexdigest()
        accepts = not any(seat.is_cut_off for seat in self._seats.values())
        return MemberFacts(self.run_id, self.name, self._judge.version, self._judge.rules, kind, accepts)

    async def _renewals(self) -> None:
        while True:
            self.progress += 1
            sent = self._book.now_s()
            try:
                await self._directory.renew(self._facts(), self._lease_s)
                if self._book.deadline_s and self._book.now_s() >= self._book.deadline_s:
                    self._lapse()
                if self._book.is_lapsed:
                    await self._resume(sent)
            except JournalError as error:
                _log.warning("lease not renewed", member=self.name, reason=str(error))
                await asyncio.sleep(random.SystemRandom().uniform(*_RETRY_S))
                continue
            if not self._book.is_lapsed:
                self._book.deadline_s = sent + self._lease_s - MARGIN_S
                self._rises.set()
                await asyncio.sleep(self._lease_s / 3)

    async def _watch_deadline(self) -> None:
        while True:
            left = self._book.deadline_s - self._book.now_s()
            if not self._book.deadline_s:
                self._rises.clear()
                await self._rises.wait()
            elif left > 0:
                await asyncio.sleep(left)
            else:
                self._lapse()

    def _lapse(self) -> None:
        """Fall silent. The tables stay in memory: they may still be this run's once the database answers."""
        self._lapses += 1
        self._book.deadline_s, self._book.is_lapsed = 0.0, True
        _log.warning("lease ended", member=self.name, tables=len(self._book.claims))

    async def _resume(self, sent: float) -> None:
        """Continue the tables that are still this run's, whose lease was renewed at `sent`; drop the others.

        The new term decides between this statement and a claim that began before the renewal: only one of both finds
        the old one. What this run wrote late, under the old term, is fenced.
        """
        claims = list(self._book.claims.values())
        terms = await self._directory.resume(claims) if claims else {}
        self._lapses += 1
        if self._book.now_s() >= sent + self._lease_s - MARGIN_S:
            return  # it has ended again meanwhile; the next renewal finds which terms are known
        lost = [claim for claim in claims if claim.table not in terms]
        for claim in claims:
            claim.term = terms.get(claim.table, claim.term)
        for claim in lost:
            self._lose(claim)
        self._book.deadline_s, self._book.is_lapsed = sent + self._lease_s - MARGIN_S, False
        self._moved_s = self._book.now_s()
        _log.info("lease held again", member=self.name, tables=len(terms), lost=len(lost))
        for seat in self._seats.values():
            if seat.table in terms and seat.resumed is not None:
                seat.resumed()

    def _lose(self, claim: TableClaim) -> None:
        _log.warning("table lost", member=self.name, table=claim.table, reason="another member has claimed it")
        self._book.drop(claim)
        self._end([claim.table])

    def _end(self, tables: Iterable[str]) -> None:
        for table in tables:
            if table in self._seats:
                self._seats[table].ending.set()

    async def _surveys(self) -> None:
        while True:
            self.progress += 1
            try:
                if self._seats and self.lease_s():
                    await self._survey()
            except JournalError as error:
                _log.warning("tables not surveyed", member=self.name, reason=str(error))
            await asyncio.sleep(self._pause_s)

    async def _survey(self) -> None:
        lapses, self._pause_s = self._lapses, SURVEY_S
        new = self._seats.keys() - self._enrolled
        if new:
            await self._directory.enrol(sorted(new))
            self._enrolled |= new
        members = await self._directory.members()
        left = min((each.left_s for each in members if each.run != self.run_id), default=SURVEY_S)
        self._pause_s = min(SURVEY_S, max(0.0, left) + AT_END_S)
        places = await self._directory.survey(sorted(self._seats))
        if lapses != self._lapses:
            return
        self._note(places, members)
        for place in places.values():
            await self._follow(place)
        own = self._facts()
        peers = {each.run: 0 for each in members if each.kind == own.kind and each.accepts and each.run != self.run_id}
        for place in places.values():
            if place.has_owner and place.run in peers:
                peers[place.run] += 1
        await self._claim(places, peers.keys())
        self._balance(peers.values())

    def _balance(self, peers: Iterable[int]) -> None:
        """Give one table back between two rounds, if another peer owns fewer.

        It is the one that was owned longest, and none within SETTLED_S of the last claim or loss. A table that moved
        on before it was judged would starve.
        """
        own = sorted((seat for seat in self._seats.values() if seat.claim is not None), key=lambda seat: seat.seated_s)
        if self._book.now_s() - self._moved_s < SETTLED_S or any(seat.ending.is_set() for seat in own):
            return
        if not has_excess(len(own), peers):
            return
        given = next((seat.table for seat in own if seat.is_idle is not None and seat.is_idle()), None)
        if given is not None:
            _log.info("table given back", member=self.name, table=given, reason="another member owns fewer")
            self._end([given])

    def _note(self, places: dict[str, PlaceFacts], members: list[MemberFacts]) -> None:
        """Keep the counts, and since when each table has had no owner."""
        now = self._book.now_s()
        free = [place.table for place in places.values() if not place.has_owner]
        for seat in self._seats.values():
            if seat.table not in free:
                seat.free_since_s = None
            elif seat.free_since_s is None:
                seat.free_since_s = now
        own = sum(place.run == self.run_id for place in places.values())
        names = tuple(sorted(each.name for each in members))
        self.counts = GroupCounts(own, len(places) - own - len(free), tuple(sorted(free)), names)

    async def _follow(self, place: PlaceFacts) -> None:
        """Drop a table that another member has taken, and take up one whose claim was not answered."""
        seat = self._seats.get(place.table)
        if seat is None:
            return
        claim = self._book.claims.get(place.table)
        if claim is not None and (claim.run, claim.term) != (place.run, place.term):
            self._lose(claim)
        elif claim is None and place.run == self.run_id and seat.claim is None:
            await self._seat(await self._directory.adopted(place))

    async def _claim(self, places: dict[str, PlaceFacts], peers: Collection[str]) -> None:
        now, free, overdue = self._book.now_s(), list[str](), set[str]()
        for table, place in sorted(places.items()):
            seat = self._seats.get(table)
            if seat is None or place.has_owner or not seat.is_wanted or seat.is_cut_off or seat.claim is not None:
                continue
            why = refusal(place, self._judge, seat.signers)
            if why and why != seat.refused:
                _log.error("table not claimed", member=self.name, table=table, reason=why)
            seat.refused = why
            if not why:
                free.append(table)
                if seat.free_since_s is not None and now - seat.free_since_s >= OVERDUE_S:
                    overdue.add(table)
        members = sorted((*peers, self.run_id))
        share = share_of(len(places), len(members))
        turns = in_turn(free, members.index(self.run_id), len(members))
        chosen = tables_to_claim(turns, len(self._book.claims), share, overdue)
        if not chosen:
            return
        for claim in await self._directory.claim(self.run_id, [places[table] for table in chosen]):
            await self._seat(claim)

    async def _seat(self, claim: TableClaim) -> None:
        """Let the supervisor of a claimed table start its judge; give back what it needs no longer."""
        seat = self._seats.get(claim.table)
        if seat is None or not seat.is_wanted:
            await self._directory.give_back(claim)
            return
        self._book.claims[claim.table] = claim
        seat.claim, seat.ending = claim, asyncio.Event()
        seat.seated_s = seat.linked_s = self._moved_s = self._book.now_s()
        seat.claimed.set()
        self.takeovers += 1
        _log.info("table claimed", member=self.name, table=claim.table, term=claim.term)
