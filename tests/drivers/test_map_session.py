"""The dialogue with a mapped device: who it is, whether it lives, what it was told."""

from pathlib import Path

import pytest

from pitwarden_client.events.device import DeviceCommand, DeviceIdentified, DeviceRestarted
from pitwarden_drivers.api import ExpectedDevice, SessionOutput
from pitwarden_drivers.errors import DeviceSilentError, IdentityMismatchError
from pitwarden_drivers.mapping.session import ANSWER_MS, ASK_AGAIN_MS
from pitwarden_drivers.registry import find_driver
from testkit.devices.map_sessions import SCANNER, SHUFFLER, edited, identified_session, shuffler, summed

ASKED = 'ask = "ID?"'


def test_nothing_is_believed_before_the_device_has_said_who_it_is() -> None:
    session = find_driver(f"map:{SHUFFLER}").session(ExpectedDevice("shuffler", "F-0007", last_boot=6))
    assert session.begin(0).send == b"ECHO OFF\r\nID?\r\n"
    assert session.receive(10, summed("DONE A N=52")) == SessionOutput(b"", (), ASK_AGAIN_MS)
    assert not session.identified
    assert session.heard_at is None
    assert session.stats.before_sync == len("DONE A N=52")
    assert session.tick(ASK_AGAIN_MS).send == b"ID?\r\n"
    turn = session.receive(1_100, summed("ID F-0007 FW 2.1"))
    assert [report.said for report in turn.reports] == [
        DeviceIdentified(serial="F-0007", firmware="2.1", boot=7), DeviceRestarted(boot=7),
    ]  # fmt: skip
    assert session.receive(1_200, summed("ID F-0007 FW 2.1")).reports == ()


def test_a_device_that_answers_no_question_is_asked_none(tmp_path: Path) -> None:
    session = find_driver(f"map:{edited(tmp_path, ASKED, '')}").session(ExpectedDevice("shuffler", "F-0007"))
    assert session.begin(0).send == b"ECHO OFF\r\n"


@pytest.mark.parametrize("answer", ["ID F-0008 FW 2.1", "ID F-0007 FW 2.2"])
def test_another_device_or_firmware_is_never_believed(answer: str) -> None:
    session = find_driver(f"map:{SHUFFLER}").session(ExpectedDevice("shuffler", "F-0007", ("2.1",)))
    session.begin(0)
    with pytest.raises(IdentityMismatchError):
        session.receive(10, summed(answer))


def test_a_silent_device_is_noticed_by_its_heartbeat() -> None:
    session = shuffler()
    assert session.tick(2_100).send == b"ST?\r\n"
    session.receive(2_200, summed("READY"))
    assert session.heard_at == 2_200
    assert session.tick(2_300).send == b""  # its time has not come
    session.tick(6_100)
    with pytest.raises(DeviceSilentError):
        session.tick(6_200)


def test_without_a_heartbeat_an_open_port_is_a_device_that_lives() -> None:
    session = identified_session(SCANNER, "S-2001", identity=b"SCANNER S-2001 REV B2\r")
    assert session.tick(60_000).send == b""
    assert session.heard_at == 60_000


@pytest.mark.parametrize(("answer", "outcome"), [("LOCKED", "done"), ("NO", "refused")])
def test_a_command_has_the_outcome_that_the_device_says(answer: str, outcome: str) -> None:
    session = shuffler()
    assert session.command(2_000, "r1", "lock").send == b"LOCK\r\n"
    refused = session.command(2_001, "r2", "unlock").reports[0].said
    assert refused == DeviceCommand(request="r2", command="unlock", outcome="refused")
    session.receive(2_050, summed("TEMP 40"))
    said = session.receive(2_100, summed(answer)).reports[0].said
    assert said == DeviceCommand.model_validate({"request": "r1", "command": "lock", "outcome": outcome})


def test_a_command_that_nothing_answers_times_out_and_one_that_is_not_mapped_is_refused() -> None:
    session = shuffler()
    session.command(2_000, "r1", "lock")
    turn = session.tick(2_000 + ANSWER_MS)
    assert [report.said for report in turn.reports] == [DeviceCommand(request="r1", command="lock", outcome="timeout")]
    turn = session.command(5_000, "r2", "report_count")
    assert [report.said for report in turn.reports] == [
        DeviceCommand(request="r2", command="report_count", outcome="refused")
    ]
    assert session.committed(5_000, 7, 1).reports == ()


def test_a_question_has_its_checksum_where_the_map_says_how_it_is_written(tmp_path: Path) -> None:
    file = edited(tmp_path, 'kind = "xor8"', 'kind = "xor8"\nwrite = "{body}*{sum}"')
    session = find_driver(f"map:{file}").session(ExpectedDevice("shuffler", "F-0007"))
    assert session.begin(0).send == summed("ECHO OFF") + summed("ID?")
