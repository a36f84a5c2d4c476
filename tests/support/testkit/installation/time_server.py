"""Time server of a house for a container, and the container's clock synchronized with it: chrony twice, over loopback.

The container shares the machine's clock, so a server without control of the clock states the very time that the client
has. The rate that chrony sets meanwhile is undone at the end, whatever happens. What is real is the kernel's
answer that its clock is synchronized (adjtimex(2)).
"""

import ctypes
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from testkit.installation.container import Container

_PORT: Final = 11123
_SERVER: Final = f"""local stratum 1
bindaddress 127.0.0.1
allow 127.0.0.1
port {_PORT}
cmdport 0
bindcmdaddress /
pidfile /run/house-time.pid
"""
_CLIENT: Final = f"server 127.0.0.1 port {_PORT} iburst minpoll 0 maxpoll 1\nrtcsync\n"
_CAP_SYS_TIME: Final = 25
_ADJ_FREQUENCY: Final = 0x02
_ADJ_STATUS: Final = 0x10
_ADJ_TICK: Final = 0x4000


class Timex(ctypes.Structure):
    """Variables of the kernel's clock, as adjtimex(2) reads and sets them."""

    _fields_ = (
        ("modes", ctypes.c_uint), ("offset", ctypes.c_long), ("freq", ctypes.c_long), ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long), ("status", ctypes.c_int), ("constant", ctypes.c_long),
        ("precision", ctypes.c_long), ("tolerance", ctypes.c_long), ("time", ctypes.c_long * 2),
        ("tick", ctypes.c_long), ("rest", ctypes.c_long * 32),
    )  # fmt: skip


def adjtimex(timex: Timex) -> None:
    """Set what `modes` names, and read the rest."""
    if ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex)) < 0:
        raise OSError(ctypes.get_errno(), "adjtimex")


def may_set_clock() -> bool:
    """Return whether this process, and so a container of it, may tell the kernel that its clock is synchronized."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("CapEff:")]
    return bool(int(line.split()[1], 16) >> _CAP_SYS_TIME & 1)


@asynccontextmanager
async def time_server(container: Container) -> AsyncIterator[None]:
    """Synchronize the clock of the container; afterwards the kernel's clock runs and answers as it did before."""
    before = Timex()
    adjtimex(before)
    try:
        await container.ok("apt-get -qq update && apt-get -qq install -y --no-install-recommends chrony >/dev/null")
        await container.ok(f"printf '{_SERVER}' >/etc/chrony/house.conf && chronyd -x -f /etc/chrony/house.conf")
        await container.ok(f"printf '{_CLIENT}' >/etc/chrony/chrony.conf && systemctl restart chrony")
        await container.until("chronyc -n tracking", "Leap status     : Normal")
        yield
    finally:
        try:
            await container.run("systemctl stop chrony; kill $(cat /run/house-time.pid)")
        finally:
            modes = _ADJ_FREQUENCY | _ADJ_TICK | _ADJ_STATUS
            adjtimex(Timex(modes=modes, freq=before.freq, tick=before.tick, status=before.status))
