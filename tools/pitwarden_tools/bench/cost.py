"""Start-up to READY against a bare interpreter, and the resources of an idle table's service."""

import asyncio
import os
import socket
import sys
from asyncio.subprocess import DEVNULL
from pathlib import Path
from timeit import default_timer
from typing import Final

from pitwarden.system.clock import SystemClock
from pitwarden_simulators.demo.cables import plugged
from pitwarden_simulators.demo.service import make_keys
from pitwarden_simulators.demo.table_file import far_from, table_file
from pitwarden_simulators.table.setup import TAB_SHIELDED
from pitwarden_simulators.table.table_builder import build
from pitwarden_tools.bench.feed import SITE
from pitwarden_tools.bench.process import used
from pitwarden_tools.campaign.broker import Broker

IDLE_S: Final = 5.0
PATIENCE_S: Final = 60.0
_PROGRAM: Final = "from pitwarden.cli.main import main; import sys; sys.exit(main())"


async def measured(mosquitto: str, folder: Path, rounds: int) -> dict[str, list[float]]:
    """Return the milliseconds of each start; thousandths of a core while idle, and MB, of the last one."""
    clock, built = SystemClock(), build(TAB_SHIELDED, "bench")
    make_keys(folder / "keys")
    figures: dict[str, list[float]] = {"bare Python": [], "start to READY": [], "idle millicores": [], "memory MB": []}
    with Broker(mosquitto, folder / "broker") as broker:
        async with plugged(built.devices, folder, clock, lambda: None) as plugs:
            ports = {name: plug.place for name, plug in plugs.items()}
            address = ("127.0.0.1", broker.port)
            text = table_file(TAB_SHIELDED, SITE, address, ports, far_from(clock.utc().utc_ms))
            (folder / "table.toml").write_text(text, encoding="utf-8")
            for number in range(rounds):
                figures["bare Python"].append(await _bare())
                await _service(folder, figures, idle=number == rounds - 1)
    return figures


async def _bare() -> float:
    began = default_timer()
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "pass")
    await process.wait()
    return 1_000 * (default_timer() - began)


async def _service(folder: Path, figures: dict[str, list[float]], *, idle: bool) -> None:
    place = folder / "notify"
    place.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told, (folder / "service.log").open("ab") as log:
        told.bind(str(place))
        told.setblocking(False)  # noqa: FBT003  the library's signature
        began = default_timer()
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _PROGRAM, "run", "--config", str(folder / "table.toml"),
            stdin=DEVNULL, stdout=log, stderr=log, env={**os.environ, "NOTIFY_SOCKET": str(place)},
        )  # fmt: skip
        try:
            async with asyncio.timeout(PATIENCE_S):
                while b"READY=1" not in await asyncio.get_running_loop().sock_recv(told, 4_096):
                    pass
            figures["start to READY"].append(1_000 * (default_timer() - began))
            if idle:
                await asyncio.sleep(1)
                before = used(process.pid)
                await asyncio.sleep(IDLE_S)
                after = used(process.pid)
                figures["idle millicores"].append(1_000 * (after.cpu_s - before.cpu_s) / IDLE_S)
                figures["memory MB"].append(after.rss_kb / 1_000)
        finally:
            process.kill()
            await process.wait()
