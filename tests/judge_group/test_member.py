"""A member's lease: without a renewal it ends here first, every table is dropped, and another run begins."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

import pytest

from pitwarden.journal.errors import JournalUnreachableError
from pitwarden.judge_group import broker_probes
from pitwarden.judge_group import member as member_module
from pitwarden.judge_group.assignment import JudgeFacts, PlaceFacts
from pitwarden.judge_group.claims import ClaimBook, TableClaim
from pitwarden.judge_group.directory import MemberFacts
from pitwarden.judge_group.member import MARGIN_S, GroupMember
from pitwarden.judge_group.seat import TableSeat
from testkit.clocks.waiting import until

LEASE_S = 3.0


class Directory:
    """Directory of a group, shared by members, on the time of the loop."""

    def __init__(self) -> None:
        self.places: dict[str, PlaceFacts] = {}
        self.lease: dict[str, tuple[MemberFacts, float]] = {}
        self.away = set[str]()
        self.claimed: list[tuple[str, str, int]] = []
        self.asked: dict[str, list[str]] = {}
        """Tables that each member wanted to claim with its last request."""
        self.at_once = 0
        """Members whose requests to claim the directory decides on together."""
        self.judges: list[Judge] = []
        self.owned_twice: list[str] = []

    def look(self) -> None:
        """Note each table that two judges own now."""
        owned = [table for judge in self.judges for table in judge.owns()]
        self.owned_twice += {table for table in owned if owned.count(table) > 1}

    def of(self, name: str) -> "DirectoryOfMember":
        return DirectoryOfMember(self, name)

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    def owner(self, run: str) -> str:
        facts, until = self.lease.get(run, (None, 0.0))
        return facts.name if facts is not None and until >= self.now() else ""


class DirectoryOfMember:
    """The directory as one member reaches it; nothing answers while its name is in `away`."""

    def __init__(self, shared: Directory, name: str) -> None:
        self._shared, self._name = shared, name

    async def _reach(self) -> None:
        await asyncio.sleep(0)
        self._shared.look()
        if self._name in self._shared.away:
            raise JournalUnreachableError("away")

    async def renew(self, facts: MemberFacts, lease_s: float) -> None:
        await self._reach()
        self._shared.lease[facts.run] = facts, self._shared.now() + lease_s

    async def leave(self, runs: Sequence[str]) -> None:
        await self._reach()
        for run in runs:
            self._shared.lease.pop(run, None)

    async def enrol(self, tables: Sequence[str]) -> None:
        await self._reach()
        for table in tables:
            fresh = PlaceFacts(table, 0, "", has_owner=False, owner="", rules="", version="", signer="")
            self._shared.places.setdefault(table, fresh)

    async def survey(self, tables: Sequence[str]) -> dict[str, PlaceFacts]:
        await self._reach()
        found = {}
        for table in tables:
            at = self._shared.places[table]
            owner = self._shared.owner(at.run)
            found[table] = PlaceFacts(table, at.term, at.run, bool(owner), owner, at.rules, at.version, at.signer)
        return found

    async def members(self) -> list[MemberFacts]:
        await self._reach()
        return [facts for facts, until in self._shared.lease.values() if until >= self._shared.now()]

    async def claim(self, run: str, places: Sequence[PlaceFacts]) -> list[TableClaim]:
        await self._reach()
        self._shared.asked[self._name] = [place.table for place in places]
        await until(lambda: len(self._shared.asked) >= self._shared.at_once)
        made = []
        for place in places:
            at = self._shared.places[place.table]
            if at.term == place.term and not self._shared.owner(at.run):
                term = at.term + 1
                self._shared.places[place.table] = PlaceFacts(
                    place.table, term, run, has_owner=True, owner=self._name, rules="", version="", signer=""
                )
                self._shared.claimed.append((self._name, place.table, term))
                made.append(TableClaim(place.table, place.table, run, term))
        return made

    async def resume(self, claims: Sequence[TableClaim]) -> dict[str, int]:
        await self._reach()
        terms = {}
        for claim in claims:
            at = self._shared.places[claim.table]
            if (at.term, at.run) == (claim.term, claim.run):
                terms[claim.table] = at.term + 1
                self._shared.places[claim.table] = replace(at, term=at.term + 1)
        return terms

    async def adopted(self, place: PlaceFacts) -> TableClaim:
        await self._reach()
        return TableClaim(place.table, place.table, place.run, place.term)

    async def give_back(self, claim: TableClaim) -> None:
        await self._reach()
        at = self._shared.places[claim.table]
        if (at.term, at.run) == (claim.term, claim.run):
            self._shared.places[claim.table] = PlaceFacts(
                at.table, at.term, "", has_owner=False, owner="", rules="", version="", signer=""
            )

    async def close(self) -> None:
        """Nothing is open."""


class Judge:
    """Process of one member, whose judges do nothing but own their tables."""

    def __init__(self, name: str, shared: Directory, tables: Sequence[str]) -> None:
        self.reachable = self.linked = True
        self.probes = 0
        self.book = ClaimBook(shared.now)
        self.member = GroupMember(
            name, JudgeFacts("1.0", "0.2.0", takes_older=False), shared.of(name), self.book, lease_s=LEASE_S,  # type: ignore[arg-type]  # a fake
        )  # fmt: skip
        self.seats = [TableSeat(table, ("key",), self._answers) for table in tables]
        self.claims: list[TableClaim] = []
        shared.judges.append(self)

    async def _answers(self) -> bool:
        self.probes += 1
        return self.reachable

    def owns(self) -> set[str]:
        return {claim.table for claim in self.book.claims.values() if self.book.may_speak(claim)}

    async def serve(self, seat: TableSeat) -> None:
        self.member.join(seat)
        while True:
            claim = await self.member.own(seat)
            self.claims.append(claim)
            seat.is_linked, seat.is_idle = lambda: self.reachable and self.linked, lambda: True
            await seat.ending.wait()
            await self.member.give_back(seat)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self.member.run())
            for seat in self.seats:
                group.create_task(self.serve(seat))


@asynccontextmanager
async def running(*judges: Judge) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(judge.run()) for judge in judges]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(one) for one in ended] == [asyncio.CancelledError] * len(tasks), ended


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten every period, so that a test takes a second instead of minutes."""
    for module, name, value in (
        (member_module, "SURVEY_S", 0.02),
        (broker_probes, "LINK_CHECK_S", 0.02),
        (broker_probes, "PROBE_S", 0.02),
        (broker_probes, "UNLINKED_S", 0.1),
        (member_module, "SETTLED_S", 0.05),
        (member_module, "_RETRY_S", (0.01, 0.02)),
    ):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(member_module, "MARGIN_S", 0.05)
    monkeypatch.setattr("pitwarden.judge_group.member.OVERDUE_S", 0.2)


def never_two(directory: Directory) -> None:
    """Hold that no table had two owners whenever a member reached the directory, nor has it now."""
    directory.look()
    assert directory.owned_twice == []
    assert len({(table, term) for _, table, term in directory.claimed}) == len(directory.claimed)


TABLES = [f"t{n}" for n in range(6)]


async def test_two_members_share_the_tables_and_one_takes_over_all() -> None:
    shared = Directory()
    first, second = Judge("a", shared, TABLES), Judge("b", shared, TABLES)
    async with running(first, second):
        await until(lambda: len(first.owns()) == len(second.owns()) == 3)
        never_two(shared)
        shared.away.add("a")  # its database is cut off
        await until(lambda: second.owns() == set(TABLES))
        assert first.owns() == set()
        shared.away.clear()
        await until(lambda: len(first.owns()) == 3)
        never_two(shared)
    assert all(not claim.is_current for claim in first.claims[:3])


async def test_a_lease_ends_here_before_it_ends_in_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_module, "MARGIN_S", MARGIN_S)
    shared = Directory()
    judge = Judge("a", shared, TABLES[:1])
    async with running(judge):
        await until(lambda: bool(judge.owns()))
        shared.away.add("a")
        await until(lambda: judge.book.is_lapsed)
        _, ends = shared.lease[judge.member.run_id]
        assert ends - shared.now() > 0
        assert judge.member.lease_s() == 0
        assert not judge.owns()


async def test_a_table_that_nobody_took_goes_on_under_a_new_term_without_a_start() -> None:
    shared = Directory()
    judge = Judge("a", shared, TABLES[:2])
    async with running(judge):
        await until(lambda: len(judge.claims) == len(judge.owns()) == 2)
        [kept, taken] = sorted(judge.claims, key=lambda claim: claim.table)
        terms = kept.term, taken.term
        spoken = list[str]()
        for seat in judge.seats:
            seat.resumed = partial(spoken.append, seat.table)
        shared.away.add("a")
        await until(lambda: not judge.owns())
        # Another member takes one of them, and does nothing but own it.
        shared.lease["other"] = MemberFacts("other", "b", "0.2.0", "1.0", "x", accepts=True), shared.now() + 60
        shared.places["t1"] = replace(shared.places["t1"], term=terms[1] + 5, run="other")
        shared.away.clear()
        await until(lambda: judge.owns() == {"t0"})
        assert (kept.is_current, kept.term) == (True, terms[0] + 1)
        assert not taken.is_current
        assert spoken == ["t0"]
    assert len(judge.claims) == 2


async def test_a_member_without_a_broker_leaves_its_tables_to_another_until_it_answers() -> None:
    shared = Directory()
    first, second = Judge("a", shared, TABLES), Judge("b", shared, TABLES)
    async with running(first, second):
        await until(lambda: len(first.owns()) == len(second.owns()) == 3)
        first.reachable = False
        await until(lambda: second.owns() == set(TABLES))
        first.reachable = True
        await until(lambda: len(first.owns()) == 3)
        never_two(shared)


async def test_a_member_that_links_late_keeps_its_tables_while_its_broker_answers() -> None:
    shared = Directory()
    first, second = Judge("a", shared, TABLES), Judge("b", shared, TABLES)
    async with running(first, second):
        await until(lambda: len(first.owns()) == len(second.owns()) == 3)
        kept = first.owns()
        first.linked = False
        await until(lambda: first.probes >= 3)
        assert first.owns() == kept
        never_two(shared)
    # One table asked for all three: they have the same broker.
    assert len(first.claims) == len(kept)


async def test_members_that_claim_at_once_begin_with_different_tables() -> None:
    shared = Directory()
    first, second, third = (Judge(name, shared, TABLES) for name in "abc")
    async with running(first, second, third):
        await until(lambda: len(first.owns()) == len(second.owns()) == len(third.owns()) == 2)
        left = third.owns()
        shared.asked, shared.at_once = {}, 2
        shared.away.add("c")
        await until(lambda: len(first.owns()) == len(second.owns()) == 3)
        never_two(shared)
    assert {tables[0] for tables in shared.asked.values()} == left


async def test_a_table_that_must_not_be_taken_over_is_named() -> None:
    shared = Directory()
    judge = Judge("a", shared, TABLES[:2])
    shared.places["t0"] = PlaceFacts("t0", 4, "", has_owner=False, owner="", rules="9.0", version="0.2.0", signer="key")
    async with running(judge):
        await until(lambda: judge.owns() == {"t1"})
        await until(lambda: judge.member.counts.ownerless == ("t0",))
    assert "newer" in judge.seats[0].refused
