"""Logging never breaks the work: a reader that stops, a pipe that closes, fields that cannot be shown."""

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from pitwarden.system import logging_setup
from pitwarden.system import logging_setup as logs
from pitwarden.system.logging_setup import MOST_LINES, SUPPRESSED, WINDOW_MS, open_journald_socket
from testkit.clocks.fake_clock import FakeClock
from testkit.clocks.waiting import PATIENCE_S


class Unshowable:
    def __str__(self) -> str:
        raise RuntimeError("no")


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    monkeypatch.setattr(logs, "_CLOSE_S", PATIENCE_S)
    reader, writer = os.pipe()
    yield reader, writer
    structlog.reset_defaults()
    for end in (reader, writer):
        try:
            os.close(end)
        except OSError:
            continue


def test_lines_are_json_with_every_field_shown(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    log_writer = logging_setup.configure_logging(writer)
    structlog.get_logger().warning("odd", data=b"\x00\xff", thing=Unshowable(), text="\ud800", number=3, flag=None)
    log_writer.close()
    line = json.loads(os.read(reader, 4_096))
    assert line["data"] == "00ff"
    assert line["thing"] == "<RuntimeError in Unshowable>"
    assert (line["number"], line["flag"], line["level"], line["event"]) == (3, None, "warning", "odd")


def test_a_reader_that_stopped_costs_lines_and_no_time(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    log_writer = logging_setup.configure_logging(writer)
    for number in range(logging_setup.QUEUE_LINES * 2):
        log_writer.msg(f"{number} {'x' * 100}")
    assert log_writer.dropped > 0
    os.close(reader)
    log_writer.close()


def test_a_closed_pipe_is_counted(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    os.close(reader)
    log_writer = logging_setup.configure_logging(writer)
    structlog.get_logger().info("into the void")
    log_writer.close()
    assert log_writer.dropped == 1


def test_debug_is_silent_unless_asked_for(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    log_writer = logging_setup.configure_logging(writer, level="warning")
    structlog.get_logger().info("not wanted")
    structlog.get_logger().error("wanted")
    log_writer.close()
    assert [json.loads(line)["event"] for line in os.read(reader, 4_096).splitlines()] == ["wanted"]


def test_a_flood_of_one_kind_is_cut_and_counted_and_hides_no_other(pipe: tuple[int, int]) -> None:
    """B40: 10,000 lines of one kind, then silence, then something else."""
    reader, writer = pipe
    now = FakeClock()
    log_writer = logging_setup.configure_logging(writer, now_ms=now.mono_ms)
    for number in range(10_000):
        structlog.get_logger().warning("bad payload", number=number)
        now.pass_ms(1)
    structlog.get_logger().warning("link down")
    now.pass_ms(WINDOW_MS)
    structlog.get_logger().warning("bad payload", number="the next")
    log_writer.close()
    said = [json.loads(line) for line in os.read(reader, 65_536).splitlines()]
    assert [line["number"] for line in said[:MOST_LINES]] == list(range(MOST_LINES))
    assert [line["event"] for line in said[MOST_LINES :]] == [
        "link down", SUPPRESSED, "bad payload",
    ]  # fmt: skip
    assert (said[-2]["kind"], said[-2]["lines"]) == ("bad payload", 10_000 - MOST_LINES)


def test_in_the_journal_every_field_can_be_selected_and_none_forged(
    tmp_path: Path, pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal:
        journal.bind(str(tmp_path / "journal"))
        found = os.fstat(pipe[1])
        stream = {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}"}
        descriptor = open_journald_socket(pipe[1], stream, tmp_path / "journal")
        monkeypatch.setattr(logs, "open_journald_socket", lambda *_: descriptor)
        writer = logging_setup.configure_logging(pipe[1])
        structlog.get_logger().error("link down", table="harbor/ta01", reason="gone\nPRIORITY=0", raw=b"\x00")
        writer.close()
        assert journal.recv(4_096).decode().splitlines() == [
            "MESSAGE=link down table=harbor/ta01 reason=gone\\nPRIORITY=0 raw=00",
            "PRIORITY=3",
            "SYSLOG_IDENTIFIER=pitwarden",
            "PITWARDEN_EVENT=link down",
            "PITWARDEN_TABLE=harbor/ta01",
            "PITWARDEN_REASON=gone\\nPRIORITY=0",
            "PITWARDEN_RAW=00",
        ]


def test_elsewhere_lines_stay_json(tmp_path: Path, pipe: tuple[int, int]) -> None:
    assert open_journald_socket(pipe[1], {}, tmp_path / "journal") is None
    assert open_journald_socket(pipe[1], {"JOURNAL_STREAM": "1:1"}, tmp_path / "journal") is None
