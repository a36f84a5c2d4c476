"""What a row of the log tells whoever reads the machine's journal: one line for each change, never for each card."""

import structlog
from pitwarden_client.events.device import DeviceGap, DeviceHealth, DeviceIdentified, DeviceRestarted
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.table import ClockStepped, EpochOpened, JudgeAnnounced, LogFault, PermitApplied

_log = structlog.get_logger()


def tell(table: str, row: LogEvent, reasons: tuple[str, ...]) -> None:
    """Writes the line of a row of `table` that was committed, if it tells of a change; `reasons` withhold dealing."""
    device = row.source.rpartition("/")[2]
    match row.data:
        case DeviceHealth(state=state, reason=reason):
            (_log.info if state == "online" else _log.warning)(
                "device", table=table, device=device, state=state, reason=reason
            )
        case DeviceIdentified(serial=serial, firmware=firmware):
            _log.info("device identified", table=table, device=device, serial=serial, firmware=firmware)
        case DeviceRestarted(boot=boot):
            _log.warning("device restarted", table=table, device=device, boot=boot)
        case DeviceGap(first=first, last=last):
            _log.error("device events missing", table=table, device=device, first=first, last=last)
        case PermitApplied(cause=cause):
            _log.info("permit", table=table, shown=cause, reasons="; ".join(reasons))
        case ClockStepped(delta_ms=delta):
            _log.warning("clock stepped", table=table, delta_ms=delta)
        case EpochOpened():
            _log.info("epoch opened", table=table, epoch=row.epoch)
        case JudgeAnnounced(judge=judge, rules_version=rules, profile_digest=profile):
            _log.info("judge announced", table=table, judge=judge, rules=rules, profile=profile)
        case LogFault(fault=fault, detail=detail):
            _log.error("fault in the log", table=table, fault=fault, reason=detail)
        case _:
            return
