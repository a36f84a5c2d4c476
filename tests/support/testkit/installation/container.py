"""Real systemd as PID 1 on this machine's own files: systemd-nspawn with an overlay, in a private mount namespace.

The bind of / lives in that namespace alone; what is made outside it is removed with rmdir, never with rm -rf.
"""

import asyncio
import contextlib
import os
import shutil
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from testkit.clocks.waiting import PATIENCE_S

BOOT_S = PATIENCE_S
_CGROUPS = (Path("/sys/fs/cgroup/systemd"), Path("/sys/fs/cgroup/unified"))
_ISOLATED = 'echo $$ >"$1/cgroup.procs"; [ -z "$2" ] || echo $$ >"$2/cgroup.procs"; shift 2; exec "$@"'
_ROOT = 'mount --bind / "$0" && exec "$@"'


def missing_for_container() -> str:
    """Return why this machine cannot boot a container; empty when it can."""
    if os.geteuid() != 0:
        return "booting systemd needs root"
    missing = [tool for tool in ("systemd-nspawn", "unshare", "nsenter", "dh") if shutil.which(tool) is None]
    if missing:
        return f"{', '.join(missing)} missing: apt-get install systemd-container debhelper"
    if not all((folder / "cgroup.procs").exists() for folder in _CGROUPS):
        return "no hybrid cgroup hierarchy to boot systemd in"
    return ""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """Exit code and output of a command in the container."""

    code: int
    out: str


class Container:
    """Booted container; `leader` is the process id of its PID 1 outside."""

    def __init__(self, leader: int) -> None:
        self._leader = leader

    async def run(self, command: str, keys: str = "") -> CommandResult:
        """Run a shell command in the container; `keys` is what a person types into it."""
        process = await asyncio.create_subprocess_exec(
            "nsenter", "-t", str(self._leader), "-m", "-p", "-u", "-i", "-C", "--", "/bin/sh", "-c", command,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
            env={
                "HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive",
                "LC_ALL": "C",
            },
        )  # fmt: skip
        out, _ = await process.communicate(keys.encode())
        return CommandResult(process.returncode or 0, out.decode(errors="replace").strip())

    async def ok(self, command: str) -> str:
        """Run a command that must succeed; return its output."""
        ran = await self.run(command)
        assert ran.code == 0, f"{command}: exit code {ran.code}: {ran.out}"
        return ran.out

    async def until(self, command: str, wanted: str, seconds: float = PATIENCE_S) -> str:
        """Run `command` until its output contains `wanted`."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while True:
            said = (await self.run(command)).out
            if wanted in said:
                return said
            assert loop.time() < end, f"{command}: {wanted!r} did not come within {seconds} s: {said}"


@asynccontextmanager
async def booted(folder: Path, binds: dict[Path, str]) -> AsyncIterator[Container]:
    """Boot a container; `binds` maps folders outside to places inside. `folder` receives the console's log."""
    name = f"pitwarden-test-{os.getpid()}"
    root, groups = folder / "root", [hierarchy / name for hierarchy in _CGROUPS]
    for made in (root, *groups):
        made.mkdir()
    command = [
        "sh", "-c", _ISOLATED, "sh", *map(str, groups),
        "unshare", "-m", "--propagation", "private", "sh", "-c", _ROOT, str(root),
        "systemd-nspawn", "-q", "--register=no", "--keep-unit", f"--machine={name}", "--volatile=overlay",
        "-D", str(root), "--console=pipe", "--capability=CAP_BPF,CAP_PERFMON,CAP_SYS_TIME",
        "--system-call-filter=bpf @clock",
        *(f"--bind={outside}:{inside}" for outside, inside in binds.items()),
        "-b", "systemd.unit=basic.target", "systemd.mask=systemd-networkd.service",
    ]  # fmt: skip
    with (folder / "console.log").open("wb") as console:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stdout=console, stderr=console,
            env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
        )  # fmt: skip
    leader = None
    try:
        leader = await _leader(process.pid, folder / "console.log")
        container = Container(leader)
        await container.until("systemctl is-system-running; systemctl is-active basic.target", "\nactive", BOOT_S)
        yield container
    finally:
        if leader is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(leader, signal.SIGRTMIN + 4)  # systemd: poweroff
        try:
            await asyncio.wait_for(process.wait(), BOOT_S)
        except TimeoutError:
            for pid in (leader, process.pid):
                if pid is not None:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            await process.wait()
        _remove(groups, root)


async def _leader(pid: int, console: Path) -> int:
    loop = asyncio.get_running_loop()
    end = loop.time() + BOOT_S
    while loop.time() < end:
        found = next(filter(_is_leader, _descendants(pid)), None)
        if found is not None:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(f"no systemd came up, see {console}")


def _is_leader(pid: int) -> bool:
    """Return whether `pid` is a systemd that is PID 1 in its own namespace."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    ids = next((line.split() for line in status.splitlines() if line.startswith("NSpid:")), [""])
    return status.startswith("Name:\tsystemd\n") and ids[-1] == "1"


def _remove(groups: list[Path], root: Path) -> None:
    for group in groups:
        for path, _, _ in os.walk(group, topdown=False):
            with contextlib.suppress(OSError):
                Path(path).rmdir()
    root.rmdir()


def _descendants(pid: int) -> list[int]:
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return children + [each for child in children for each in _descendants(child)]
