"""What systemd hears: a full or missing socket costs nothing; another process's watchdog is not ours."""

import contextlib
import os
import socket
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from pitwarden.system.service_manager import SystemdNotifier, notifier_from_environment


def test_a_full_socket_neither_blocks_nor_raises(tmp_path: Path) -> None:
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager,
        contextlib.closing(SystemdNotifier(str(tmp_path / "notify"), 4)) as notifier,
    ):
        manager.bind(str(tmp_path / "notify"))
        for _ in range(10_000):
            notifier.report_alive("all is well")
        assert notifier.dropped > 0
        assert manager.recv(4_096) == b"WATCHDOG=1\nSTATUS=all is well"


def test_a_manager_that_is_gone_is_ignored(tmp_path: Path) -> None:
    with contextlib.closing(SystemdNotifier(str(tmp_path / "nowhere"))) as notifier:
        notifier.ready("here")
        assert notifier.dropped == 1


def test_without_a_manager_nothing_is_sent() -> None:
    notifier = notifier_from_environment({})
    notifier.ready("here")
    assert (notifier.watchdog_s, notifier.dropped) == (None, 0)


def test_the_watchdog_of_another_process_is_not_ours() -> None:
    theirs = {"WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "1"}
    assert notifier_from_environment(theirs).watchdog_s is None
    assert notifier_from_environment({**theirs, "WATCHDOG_PID": str(os.getpid())}).watchdog_s == 4


@pytest.mark.parametrize("usec", ["abc", "0", "1", "100", "-1", "9" * 5_000, "\u0661\u0662", " 4000000"])
def test_an_interval_that_cannot_be_kept_is_named_once_and_ignored(usec: str) -> None:
    with capture_logs() as lines:
        notifier = notifier_from_environment({"WATCHDOG_USEC": usec})
    assert notifier.watchdog_s is None
    [line] = lines
    assert (line["event"], len(line["value"]) <= 20) == ("watchdog ignored", True)


def test_a_process_that_is_not_watched_sends_no_ping(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        for theirs in ({}, {"WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "1"}):
            with contextlib.closing(
                notifier_from_environment({"NOTIFY_SOCKET": str(tmp_path / "notify"), **theirs})
            ) as notifier:
                notifier.report_alive("all is well")
            assert manager.recv(4_096) == b"STATUS=all is well"


def test_a_status_is_one_line(tmp_path: Path) -> None:
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager,
        contextlib.closing(SystemdNotifier("\0" + str(tmp_path)[-90:])) as notifier,
    ):
        manager.bind("\0" + str(tmp_path)[-90:])
        notifier.status("one\nWATCHDOG=1")
        assert manager.recv(4_096) == b"STATUS=one WATCHDOG=1"
