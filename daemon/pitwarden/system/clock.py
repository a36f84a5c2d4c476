"""Monotonic and UTC clocks, and the log time of a table; the only file that reads a clock."""

import ctypes
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

DAY_MS: Final = 86_400_000
_WHOLE_PROCESS: Final = 2  # CPUCLOCK_SCHED


@dataclass(frozen=True, slots=True)
class UtcReading:
    """UTC in ms since 1970, whether the kernel calls the clock synchronized, and its error bound in ms."""

    utc_ms: int
    synchronised: bool
    error_ms: int


class Clock(Protocol):
    """Source of the time for both halves."""

    def mono_ms(self) -> int:
        """Return ms that never run back and that include suspended time."""
        ...

    def utc(self) -> UtcReading:
        """Return UTC as this machine knows it."""
        ...

    def boot_id(self) -> str:
        """Return the id of the boot since which `mono_ms` counts; empty where this machine does not give it."""
        ...


class _Timex(ctypes.Structure):
    """Head of the kernel's `struct timex` (adjtimex(2)); the rest is padding here."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_long * 32),
    )


_ADJTIMEX: Final = ctypes.CDLL(None).adjtimex
_READ_MS: Final = 5_000  # asking costs a card on its way to a verdict more than all other reading of clocks
_GROWTH: Final = 2_000  # the kernel lets its error bound grow by a millisecond in so many
_UNSYNCHRONISED: Final = 0x40
MAX_ERROR_MS: Final = 86_400_000
"""Largest error bound in ms that is stated, a day. It also stands for a clock whose error is unknown."""


# The kernel's random id of the boot. The units hide /proc/sys and pass on what systemd reads there (`%b`).
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_BOOT_ID_VARIABLE: Final = "MACHINE_BOOT_ID"
_BOOT_ID_FORM: Final = re.compile("[0-9a-f]{32}")


class SystemClock:
    """Clocks of the machine: CLOCK_BOOTTIME, CLOCK_REALTIME and adjtimex(2)."""

    def __init__(self) -> None:
        self._read_at = -_READ_MS
        self._synchronised, self._error_ms = False, MAX_ERROR_MS

    def mono_ms(self) -> int:
        """Return the milliseconds of CLOCK_BOOTTIME."""
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000

    def utc(self) -> UtcReading:
        """Return CLOCK_REALTIME and the kernel's estimate of its error, which is read every five seconds."""
        since = self.mono_ms() - self._read_at
        if since >= _READ_MS:
            self._read_kernel()
            since = 0
        error = min(self._error_ms + since // _GROWTH, MAX_ERROR_MS)
        return UtcReading(time.time_ns() // 1_000_000, self._synchronised, error)

    def boot_id(self) -> str:
        """Return the kernel's id of this boot, in hexadecimal; empty where neither kernel nor systemd gives it."""
        try:
            given = _BOOT_ID.read_text(encoding="ascii")
        except OSError:
            given = os.environ.get(_BOOT_ID_VARIABLE, "")
        found = given.strip().replace("-", "")
        return found if _BOOT_ID_FORM.fullmatch(found) else ""

    def _read_kernel(self) -> None:
        self._read_at = self.mono_ms()
        timex = _Timex(modes=0)
        if _ADJTIMEX(ctypes.byref(timex)) < 0:  # a sandbox that forbids it is no proof of good time
            self._synchronised, self._error_ms = False, MAX_ERROR_MS
        else:
            self._synchronised = not timex.status & _UNSYNCHRONISED
            self._error_ms = min(max(timex.maxerror // 1_000, 0), MAX_ERROR_MS)


class LogTime(Protocol):
    """Time of a table's log."""

    def log_ms(self) -> int:
        """Return log time now, in ms; it never runs back."""
        ...


class LogClock:
    """Log time of one epoch: monotonic time, continued from the previous epoch."""

    def __init__(self, clock: Clock, log_ms: int) -> None:
        """Continue at `log_ms`, the log time of the newest row."""
        self._clock = clock
        self._offset = log_ms - clock.mono_ms()
        self._last_ms = log_ms

    def log_ms(self) -> int:
        """Return log time now, in ms; it never runs back."""
        return max(self._last_ms, self._clock.mono_ms() + self._offset)

    def stamp(self) -> tuple[UtcReading, int]:
        """Return UTC and log time for the next row, from which on log time does not run back."""
        utc = self._clock.utc()
        self._last_ms = self.log_ms()
        return utc, self._last_ms


def cpu_seconds(pid: int) -> float:
    """Return the processor seconds that process `pid` has used, to the nanosecond; `/proc` counts in hundredths.

    The id of a process's clock is computed from its pid, as clock_getcpuclockid(3) does.

    Raises:
        OSError: The process does not exist.
    """
    return time.clock_gettime(~pid << 3 | _WHOLE_PROCESS)
