"""Time from byte to verdict, stage by stage, of a service with marks in it."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from pitwarden_tools.bench.traced import STAGES, key
from pitwarden_tools.bench.verdict import PAUSE_S, at_work

WHOLE: Final = "byte to verdict"
HEARD: Final = "the broker has brought the verdict"
_TRACE: Final = "from pitwarden_tools.bench.traced import trace; trace({file!r})\n"


async def measured(mosquitto: str, folder: Path, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each stage of `rounds` verdicts, and of all; without stages that have no mark."""
    file = folder / "marks.json"
    cards: list[tuple[float, float]] = []
    async with at_work(mosquitto, folder, _TRACE.format(file=str(file))) as (table, _, _):
        for _ in range(rounds):
            took = await table.measured()
            cards.append((table.began, took))
            await asyncio.sleep(PAUSE_S)
    marks = json.loads(file.read_text(encoding="utf-8"))
    figures: dict[str, list[float]] = {WHOLE: [took for _, took in cards]}
    for began, took in cards:
        within = [(mark, at) for mark, at in marks if began <= at <= began + took]
        ends = [began, *_ends(within), began + took]
        if len(ends) == len(STAGES) + 2:
            for name, (start, end) in zip([*(stage.name for stage in STAGES), HEARD], pairwise(ends), strict=True):
                figures.setdefault(name, []).append(end - start)
    return figures


def _ends(marks: Sequence[tuple[str, float]]) -> Iterator[float]:
    """Yield when each stage ended: the first of its marks after the previous stage."""
    rest = iter(sorted(marks, key=lambda mark: mark[1]))
    for stage in STAGES:
        found = next((at for mark, at in rest if mark == key(stage)), None)
        if found is None:
            return
        yield found
