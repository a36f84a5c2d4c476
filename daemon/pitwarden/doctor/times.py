"""The clock: gaming day, card change and inspections (13:69E-1.19(g)) are reckoned in UTC, so it has to be right."""

from pitwarden.doctor.finding import Finding, ok
from pitwarden.system.clock import Clock

MOST_ERROR_MS = 1_000
_WHY = "the 24-hour duties and the record's times are reckoned by it; every event says that its time is not sure"


def look(clock: Clock, newest_utc_ms: int | None) -> Finding:
    """The clock as the kernel sees it; `newest_utc_ms` is the time of the newest row of the log, if there is one."""
    now = clock.utc()
    if newest_utc_ms is not None and now.utc_ms < newest_utc_ms:
        behind = (newest_utc_ms - now.utc_ms) // 1_000
        return Finding(
            "bad", "clock", f"it is {behind} s behind the newest row of the log", _WHY, "timedatectl set-ntp true"
        )
    if not now.synchronised:
        return Finding("bad", "clock", "it is not synchronised", _WHY, "timedatectl set-ntp true; timedatectl status")
    if now.error_ms > MOST_ERROR_MS:
        return Finding("warning", "clock", f"it may be wrong by {now.error_ms} ms", _WHY, "timedatectl timesync-status")
    return ok("clock", f"synchronised, wrong by at most {now.error_ms} ms")
