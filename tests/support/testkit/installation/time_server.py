"""Time server of a house for a container, and the container's clock synchronized with it: chrony twice, over loopback.

The container shares the machine's clock, so a server without control of the clock states the very time that the client
has. The rate that chrony sets meanwhile is undone at the end. What is real is the kernel's
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
_ADJ_STATUS: Final = 0x10
_ADJ_FREQUENCY: Final = 0x02
_STA_UNSYNC: Final = 0x40


class _Timex(ctypes.Structure):
    _fields_ = (
        ("modes", ctypes.c_uint), ("offset", ctypes.c_long), ("freq", ctypes.c_long), ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long), ("status", ctypes.c_int), ("rest", ctypes.c_long * 32),
    )  # fmt: skip


def may_set_clock() -> bool:
    """Return whether this process, and so a container of it, may tell the kernel that its clock is synchronized."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("CapEff:")]
    return bool(int(line.split()[1], 16) >> _CAP_SYS_TIME & 1)


@asynccontextmanager
async def time_server(container: Container) -> AsyncIterator[None]:
    """Synchronize the clock of the container; afterwards the kernel answers as it did before."""
    timex = _Timex()
    adjtimex = ctypes.CDLL(None).adjtimex
    adjtimex(ctypes.byref(timex))
    before = timex.status, timex.freq
    try:
        await container.ok("apt-get -qq update && apt-get -qq install -y --no-install-recommends chrony >/dev/null")
        await container.ok(f"printf '{_SERVER}' >/etc/chrony/house.conf && chronyd -x -f /etc/chrony/house.conf")
        await container.ok(f"printf '{_CLIENT}' >/etc/chrony/chrony.conf && systemctl restart chrony")
        await container.until("chronyc -n tracking", "Leap status     : Normal")
        yield
    finally:
        await container.run("systemctl stop chrony; kill $(cat /run/house-time.pid)")
        if before[0] & _STA_UNSYNC:
            adjtimex(ctypes.byref(_Timex(modes=_ADJ_STATUS | _ADJ_FREQUENCY, status=before[0], freq=before[1])))
