"""Cost of one more table in a judge process at a row a second: the line through a small pit and a larger one."""

from pathlib import Path
from typing import Final

from pitwarden_tools.bench.load import fit
from pitwarden_tools.bench.pit import PitSample, loaded, run
from pitwarden_tools.bench.trend import trend

NAMES: Final = ("millicores a table", "kB a table")
PITS: Final = (10, 60)
FULL: Final = 300  # rows until a table's buffers of its log are full
SECONDS: Final = 20.0


async def measured(mosquitto: str, folder: Path) -> dict[str, list[float]]:
    """Return thousandths of a core, and kB, of each table."""
    runs: dict[int, list[PitSample]] = {}
    for count in PITS:
        place = folder / f"{count}-tables"
        place.mkdir()
        async with loaded(mosquitto, place, count, FULL + round(SECONDS) + 1) as ready:
            await ready.stored(FULL)
            runs[count] = await run(ready, SECONDS)
    memory = trend([(count, samples[-1].judge.rss_kb) for count, samples in runs.items()])
    return dict(zip(NAMES, ([1_000 * fit(runs).slope], [memory.slope]), strict=True))
