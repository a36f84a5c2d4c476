"""Dialogue with a scanner that reads the example's codes."""

from pathlib import Path

from pitwarden_drivers.api import Said, Session
from pitwarden_drivers.framing.hid_stream import HidIdentity, HidReport
from pitwarden_simulators.devices.scanner import DESCRIPTOR

EXAMPLE = Path(__file__).parents[4] / "config/codes/coded-shoe.toml"
HELLO = HidIdentity("S-9", "1.00", DESCRIPTOR).to_bytes()


def said_of(session: Session, *reports: bytes, at: int = 1_000) -> list[Said]:
    turn = session.receive(at, b"".join(HidReport(report).to_bytes() for report in reports))
    return [report.said for report in turn.reports]
