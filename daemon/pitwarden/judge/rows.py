"""A row whose bytes are no event of this version still has its place: the rules hear that it could not be read."""

from pitwarden_client.events.base import Position
from pitwarden_client.events.envelope import GENESIS, LogEvent, rfc3339
from pitwarden_client.events.table import LogFault
from pitwarden_client.verification.commitment import event_id

from pitwarden.judge.table import TableJudge


def row_of(at: Position, event: LogEvent | None, judge: TableJudge, *, simulated: bool) -> LogEvent:
    """`event`, or what stands in for the row at `at` that cannot be read; its time is that of the row before."""
    if event is not None:
        return event
    return LogEvent(
        id=event_id(at.epoch, at.number),
        source=f"/{judge.identity.key}/table",
        type="pitwarden.log.fault",
        time=rfc3339(judge.state.utc_ms),
        epoch=at.epoch,
        prevhash=GENESIS,
        simulated=simulated,
        tableseq=at.number,
        logms=judge.state.log_ms,
        clocksync=False,
        clockerror=0,
        data=LogFault(fault="row_unreadable", detail=f"row {at.epoch}/{at.number} is no event of this version"),
    )
