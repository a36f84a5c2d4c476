"""What waits while the disk is busy shares a transaction: bounded, in order, and each with an end of its own."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from threading import Event

import pytest

from pitwarden.journal.errors import JournalError, JournalFullError, JournalOrderError
from pitwarden.journal.group_commit import GroupCommit, JournalThread


class File:
    """A file whose first transaction takes until the test lets it go on."""

    def __init__(self) -> None:
        self.go_on = Event()
        self.groups: list[list[str]] = []
        self.ended: list[Exception | None] = []
        self.behind: Exception | None = None

    def commit_group(self, group: Sequence[str]) -> list[JournalError | None]:
        self.go_on.wait(10)
        self.groups.append(list(group))
        if "full" in group:
            raise JournalFullError("no room")
        return [JournalOrderError("of its own") if item == "bad" else None for item in group]

    def group_ended(self, group: Sequence[str], error: Exception | None) -> Exception | None:
        assert self.groups[-1] == list(group)
        self.ended.append(error)
        return None if error is None else self.behind


@asynccontextmanager
async def committing(most: int = 3) -> AsyncIterator[tuple[File, GroupCommit[str]]]:
    file, worker = File(), JournalThread("group commit")
    try:
        yield file, GroupCommit(worker, file, file, most)
    finally:
        file.go_on.set()
        worker.stop()


async def ends(futures: Sequence["asyncio.Future[None]"]) -> list[str]:
    found = await asyncio.gather(*futures, return_exceptions=True)
    return ["" if each is None else str(each) for each in found]


async def test_what_comes_meanwhile_is_committed_in_order_and_in_bounded_groups() -> None:
    async with committing() as (file, together):
        futures = [together.run(item) for item in "abcdefgh"]
        file.go_on.set()
        assert await ends(futures) == [""] * 8
        assert file.groups == [["a"], ["b", "c", "d"], ["e", "f", "g"], ["h"]]
        await together.idle()


async def test_the_bound_counts_shares_and_an_item_beyond_it_goes_alone() -> None:
    async with committing() as (file, together):
        futures = [together.run(item, share) for item, share in (("a", 1), ("b", 2), ("c", 9), ("d", 1), ("e", 2))]
        file.go_on.set()
        await ends(futures)
        assert file.groups == [["a"], ["b"], ["c"], ["d", "e"]]


async def test_an_item_that_contradicts_what_is_stored_fails_alone() -> None:
    async with committing() as (file, together):
        futures = [together.run(item) for item in ("a", "b", "bad", "c")]
        file.go_on.set()
        assert await ends(futures) == ["", "", "of its own", ""]
        assert file.ended == [None, None]


@pytest.mark.parametrize("behind", [None, JournalOrderError("numbered on top")])
async def test_a_failed_transaction_fails_its_group_and_what_builds_on_it(behind: Exception | None) -> None:
    async with committing(most=2) as (file, together):
        file.behind = behind
        futures = [together.run(item) for item in ("a", "b", "full", "c", "d")]
        file.go_on.set()
        rest = "" if behind is None else "numbered on top"
        assert await ends(futures) == ["", "no room", "no room", rest, rest]
        assert file.groups[1:] == ([["b", "full"]] if behind else [["b", "full"], ["c", "d"]])


async def test_a_caller_that_went_away_does_not_keep_the_others_from_their_end() -> None:
    async with committing() as (file, together):
        first, second = together.run("a"), together.run("b")
        first.cancel()
        file.go_on.set()
        await second
        assert file.groups == [["a"], ["b"]]
