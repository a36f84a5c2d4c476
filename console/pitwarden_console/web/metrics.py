"""Metrics of the console itself in the text format of Prometheus 0.0.4, without any card, person or text of a table.

The format is written here: it is one line a value, and the Prometheus client's registry would be a second state of the
same numbers.
"""

from collections import Counter
from collections.abc import Iterator

from pitwarden_console.alarms.call_desk import CallDesk
from pitwarden_console.alarms.watch import AlarmWatch
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.web.hub import LiveHub

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics_text(board: PitBoard, watch: AlarmWatch, hub: LiveHub, desk: CallDesk | None, now_ms: int) -> str:
    """Return the metrics at `now_ms` (UTC)."""
    return "\n".join(_lines(board, watch, hub, desk, now_ms)) + "\n"


def _lines(board: PitBoard, watch: AlarmWatch, hub: LiveHub, desk: CallDesk | None, now_ms: int) -> Iterator[str]:
    tables = list(board.snapshots.values())
    yield from _help("pitwarden_console_tables", "Tables of the console file, by whether they are live")
    live = sum(table.is_live for table in tables)
    yield f'pitwarden_console_tables{{live="yes"}} {live}'
    yield f'pitwarden_console_tables{{live="no"}} {len(tables) - live}'
    yield from _help("pitwarden_console_alarms", "Open alarms of live tables, by priority, state and simulation")
    alarms = Counter(
        (item.priority, item.state, "yes" if table.simulated else "no")
        for table in tables
        if table.is_live
        for item in table.open
    )
    for (priority, state, simulated), count in sorted(alarms.items()):
        labels = f'priority="{priority}",state="{state}",simulated="{simulated}"'
        yield f"pitwarden_console_alarms{{{labels}}} {count}"
    yield from _help("pitwarden_console_history_behind_tables", "Live tables whose history does not reach the present")
    yield f"pitwarden_console_history_behind_tables {sum(table.is_live and bool(table.behind) for table in tables)}"
    yield from _help("pitwarden_console_sounding", "Alarms that sound in all pits")
    yield f"pitwarden_console_sounding {len(watch.silences.sounding(tables, now_ms).names)}"
    yield from _help("pitwarden_console_flooded_pits", "Pits with more than ten new alarms in ten minutes")
    yield f"pitwarden_console_flooded_pits {len(watch.floods.flooded(None))}"
    yield from _help("pitwarden_console_streams", "Open streams of pages")
    yield f"pitwarden_console_streams {hub.readers}"
    if desk is not None:
        yield from _help("pitwarden_console_calls_failing", "1 while the last call failed")
        yield f"pitwarden_console_calls_failing {int(bool(desk.fault))}"


def _help(name: str, words: str) -> Iterator[str]:
    yield f"# HELP {name} {words}."
    yield f"# TYPE {name} gauge"
