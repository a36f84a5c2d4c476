"""Processor time of a process, held to a share of one core by a control group of the kernel, as `CPUQuota=` does."""

import os
from pathlib import Path
from typing import Final, Self

from pitwarden_tools.takeover.errors import TakeoverError

_PERIOD_US: Final = 100_000
_VERSION_1: Final = Path("/sys/fs/cgroup/cpu")
_VERSION_2: Final = Path("/sys/fs/cgroup")


class CpuShare:
    """Control group `name` whose processes have at most `share` of one core together."""

    def __init__(self, name: str, share: float) -> None:
        quota = round(share * _PERIOD_US)
        is_old = _VERSION_1.is_dir()
        self._place = (_VERSION_1 if is_old else _VERSION_2) / f"pitwarden-{os.getpid()}-{name}"
        self._limits = (
            {"cpu.cfs_period_us": f"{_PERIOD_US}", "cpu.cfs_quota_us": f"{quota}"}
            if is_old
            else {"cpu.max": f"{quota} {_PERIOD_US}"}
        )

    def __enter__(self) -> Self:
        try:
            self._place.mkdir()
            for name, value in self._limits.items():
                (self._place / name).write_text(value)
        except OSError as error:
            raise TakeoverError(
                f"{self._place}: {error.strerror}. Root can make a control group for processors"
            ) from None
        return self

    def __exit__(self, *_: object) -> None:
        if self._place.is_dir():
            self._place.rmdir()

    def hold(self, pid: int) -> None:
        """Hold a process, and its threads, to the share from now on."""
        (self._place / "cgroup.procs").write_text(f"{pid}")
