"""The time server of a container leaves the machine's clock as it was, also when chrony fails or cannot be stopped."""

from typing import TYPE_CHECKING, cast

import pytest

from testkit.installation import time_server as module
from testkit.installation.time_server import Timex, adjtimex, time_server

if TYPE_CHECKING:
    from testkit.installation.container import Container


class UnreachableContainer:
    """A container in which no command can be run."""

    async def ok(self, command: str) -> str:
        raise OSError(command)

    run = until = ok


async def test_the_clock_is_put_back_when_everything_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Timex] = []

    def kernel(timex: Timex) -> None:
        if not calls:
            timex.freq, timex.tick, timex.status = 1_234, 10_001, 0x40
        calls.append(timex)

    monkeypatch.setattr(module, "adjtimex", kernel)
    with pytest.raises(OSError, match="systemctl stop"):
        async with time_server(cast("Container", UnreachableContainer())):
            pytest.fail("there is no chrony")
    read, put_back = calls
    assert read.modes == 0
    assert (put_back.freq, put_back.tick, put_back.status) == (1_234, 10_001, 0x40)
    assert put_back.modes == 0x4012


def test_the_kernel_states_the_tick_where_it_is_read() -> None:
    timex = Timex()
    adjtimex(timex)
    assert 9_000 <= timex.tick <= 11_000, "microseconds of a tick, a hundred a second, by adjtimex(2)"
