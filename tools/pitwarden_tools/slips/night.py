"""Nights of the slip driver: rounds with slips at one table, and what was published against the truth."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pitwarden_client.events.base import Position
from pitwarden_client.events.card_faces import face_name
from pitwarden_simulators.demo.errors import DemoError
from pitwarden_tools.campaign.broker import Broker
from pitwarden_tools.slips.observer import Published
from pitwarden_tools.slips.table import SlipTable, slip_table
from pitwarden_tools.worlds.command import WorldsJob, random_log
from pitwarden_tools.worlds.deal import course
from pitwarden_tools.worlds.walk import PlayedCourse

_NEVER: Final = 1 << 30
"""A row beyond the end of each round: that of a card which is not turned in it."""


@dataclass(slots=True)
class SlipNightResult:
    """A night as it went. `early`: a sentence for each card or answer that was published before it was shown."""

    plan: WorldsJob
    rounds: int = 0
    rows: int = 0
    published: int = 0
    truly_seen: int = 0
    early: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SlipRoundRecord:
    """Record of a performed round: the course, the log position of each card, and the log position after each row."""

    played: PlayedCourse
    cards: Mapping[tuple[str, int, int], int]
    ends: Sequence[Position]

    def row_of(self, at: Position, epochs: Sequence[str]) -> int:
        """Return the last row of the course, from 1, that was in the log when the row `at` was judged; 0 for none."""
        when = (epochs.index(at.epoch), at.number)
        return sum((epochs.index(end.epoch), end.number) <= when for end in self.ends)


def faults_of(
    record: SlipRoundRecord, published: Sequence[Published], epochs: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return what of `published` was hidden on the row that published it, and what is not the card that was drawn."""
    early, wrong, faces = list[str](), list[str](), faces_of(record.played)
    for one in published:
        card = record.cards.get(one.card)
        if card is None:
            wrong.append(f"row {one.row.number} published {one.card}, which is no card of its round")
            continue
        row = record.row_of(one.row, epochs)
        if record.played.seen.get(card, _NEVER) > row:
            name = record.played.rows[row - 1].name or record.played.rows[row - 1].kind
            early.append(f"[{record.played.name}] row {row} {name} published card {card}, which was hidden")
        if one.face != faces[card]:
            wrong.append(f"row {row} published card {card} as {one.face}, which is {faces[card]}")
    return early, wrong


def faces_of(played: PlayedCourse) -> dict[int, str]:
    """Return the published names of the cards and answers of a course, by their number from 1."""
    names: list[str] = []
    for row in played.rows:
        if row.kind == "device" and row.name == "result":
            names.append("blackjack" if row.bit else "none")
        names += map(face_name, row.faces)
    return dict(enumerate(names, start=1))


async def play_night(plan: WorldsJob, broker: Broker, folder: Path, before: str = "") -> SlipNightResult:
    """Play `plan` in the new `folder`, each round with a new pack, and compare each when it is over.

    Args:
        plan: House, rounds and slips. `epochs`: part of the rounds in which the field half is killed and starts again.
        broker: Broker that is running.
        folder: Folder that does not exist.
        before: See `slip_table`.
    """
    await asyncio.to_thread(folder.mkdir)
    made, result = course(plan.house), SlipNightResult(plan)
    short = plan.house.game.short
    try:
        async with slip_table(plan.house, broker, folder, f"{short} {plan.seed}", before) as table:
            for number in range(plan.seed, plan.seed + plan.rounds):
                played = random_log(plan, made, random.Random(f"{short} {number}"))
                await table.new_pack()
                await table.observer.judged()
                table.observer.published.clear()
                record = await _performed(table, played)
                published, epochs = table.observer.published, table.observer.epochs
                early, wrong = faults_of(record, published, epochs)
                result.early += [f"{short} round {number} {one}" for one in early]
                result.wrong += [f"{short} round {number}: {one}" for one in (*wrong, *table.observer.failed)]
                table.observer.failed.clear()
                result.rounds += 1
                result.rows += len(played.rows)
                result.published += len(published)
                result.truly_seen += len(played.seen)
    except DemoError as error:
        result.wrong.append(f"{short} from round {plan.seed + result.rounds}: {error}")
    return result


async def _performed(table: SlipTable, played: PlayedCourse) -> SlipRoundRecord:
    cards: dict[tuple[str, int, int], int] = {}
    ends: list[Position] = []
    seen = table.observer
    for row in played.rows:
        for at, index in await table.perform(row):
            cards[at.epoch, at.number, index] = len(cards) + 1
        ends.append(Position(epoch=seen.epochs[-1], number=seen.head))
    await table.end_round(played.rows[-1])
    return SlipRoundRecord(played, cards, ends)
