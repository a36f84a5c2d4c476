"""The driver in docs/how-to/integrator/write-a-driver.md, installed from the page and held to its promises."""

import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from pitwarden_client.events.device import (
    DeviceCommand,
    DeviceGap,
    DeviceIdentified,
    DeviceRestarted,
    DeviceSuspect,
    DeviceUnknown,
    ShufflerDone,
    ShufflerFault,
    ShufflerStarted,
)
from pitwarden_drivers.api import DeviceReport, Driver, ExpectedDevice, SessionOutput
from pitwarden_drivers.errors import DeviceSilentError, IdentityMismatchError
from pitwarden_drivers.registry import driver_names, find_driver
from pitwarden_simulators.ports.line_faults import LineFault, combined, drop, duplicate, garble, split

PAGE = (Path(__file__).parents[2] / "docs/how-to/integrator/write-a-driver.md").read_text()
FILES = dict(re.findall(r"^`([\w./]+)`:\n\n```\w+\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """Write the result of `pip install .`: the package, and its metadata with the entry point."""
    site = tmp_path_factory.mktemp("site")
    project = tomllib.loads(FILES["pyproject.toml"])["project"]
    for name in FILES.keys() - {"pyproject.toml"}:
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).write_text(FILES[name])
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = project["entry-points"]["pitwarden.drivers"]
    (info / "entry_points.txt").write_text(
        "[pitwarden.drivers]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
    )
    sys.path.insert(0, str(site))
    importlib.invalidate_caches()
    try:
        yield find_driver("tally")
    finally:
        sys.path.remove(str(site))
        for name in [name for name in sys.modules if name.split(".")[0] == "tally"]:
            del sys.modules[name]


def frame(kind: str, seq: int = 0, value: int = 0) -> bytes:
    head = bytes((0xA5, ord(kind), seq % 256)) + value.to_bytes(2, "big")
    return head + bytes((sum(head) % 256,))


class Tally:
    """The device, from the page's table: it repeats its last event each second until it is acknowledged."""

    def __init__(self) -> None:
        self.starts, self.made, self.last, self.waiting = 1, 0, b"", list[tuple[str, int]]()
        self.beat_at = 0

    def restart(self) -> None:
        self.starts, self.made, self.last, self.beat_at = self.starts + 1, 0, b"", 0

    def senses(self, kind: str, value: int) -> None:
        self.waiting.append((kind, value))

    def receive(self, data: bytes) -> bytes:
        out = b""
        if frame("?") in data:
            out += frame("I", self.starts, 77)
        if self.last and frame("A", self.made) in data:
            self.last = b""
        return out + self._next()

    def tick(self, now: int) -> bytes:
        said = b""
        if now >= self.beat_at:
            self.beat_at = now + 1_000
            said = frame(".", self.starts) + self.last
        return said + self._next()

    def _next(self) -> bytes:
        if self.last or not self.waiting:
            return b""
        self.made += 1
        kind, value = self.waiting.pop(0)
        self.last = frame(kind, self.made, value)
        return self.last


class Bench:
    """The driver and the device on one line, with a log that stores at once."""

    def __init__(self, driver: Driver, tally: Tally, to_host: LineFault, to_device: LineFault) -> None:
        self.driver, self.tally, self.now = driver, tally, 1_000
        self.to_host, self.to_device = to_host, to_device
        self.log: list[DeviceReport] = []
        self.open()

    def open(self) -> None:
        stored = [(r.boot, r.counter) for r in self.log if r.counter or isinstance(r.said, DeviceRestarted)]
        boot, counter = stored[-1] if stored else (0, 0)
        self.session = self.driver.session(ExpectedDevice("shuffler", "T-77", (), boot, counter))
        self.follow(self.session.begin(self.now))

    def follow(self, turn: SessionOutput) -> None:
        for chunk in self.to_device(turn.send) if turn.send else []:
            self.hear(self.tally.receive(chunk))
        self.log += turn.reports
        for report in turn.reports:
            if report.counter:
                self.follow(self.session.committed(self.now, report.boot, report.counter))

    def hear(self, data: bytes) -> None:
        for chunk in self.to_host(data) if data else []:
            self.follow(self.session.receive(self.now, chunk))

    def run(self, ms: int) -> None:
        for _ in range(0, ms, 100):
            self.now += 100
            self.hear(self.tally.tick(self.now))
            try:
                self.follow(self.session.tick(self.now))
            except DeviceSilentError:
                self.open()


EVENTS = [("S", 0), ("D", 52), ("S", 0), ("J", 16)]
SAID = [
    ShufflerStarted(deck="A"), ShufflerDone(deck="A", count=52), ShufflerStarted(deck="A"),
    ShufflerFault(deck="A", fault="jam", holding=16),
]  # fmt: skip


def test_it_is_installed_under_its_name(driver: Driver) -> None:
    assert driver.name == "tally"
    assert "tally" in driver_names()
    assert len(FILES) == 5


@pytest.mark.parametrize("seed", range(8))
def test_each_event_is_reported_once_and_in_order_whatever_the_line_does(driver: Driver, seed: int) -> None:
    random, tally = Random(seed), Tally()  # noqa: S311  a seeded line
    bad = combined(garble(random, 0.1), drop(random, 0.1), duplicate(random, 0.1), split(random))
    bench = Bench(driver, tally, bad, bad)
    for kind, value in EVENTS:
        tally.senses(kind, value)
    bench.run(20_000)
    if seed % 2:
        bench.open()
    bench.to_host = bench.to_device = combined()
    bench.run(10_000)
    stored = [report for report in bench.log if report.counter]
    assert [report.said for report in stored] == SAID
    assert [(report.boot, report.counter) for report in stored] == [(1, 1), (1, 2), (1, 3), (1, 4)]
    assert not tally.last


def test_a_restart_begins_a_new_boot_and_a_lost_event_is_a_gap(driver: Driver) -> None:
    tally = Tally()
    bench = Bench(driver, tally, combined(), combined())
    tally.senses("S", 0)
    bench.run(1_000)
    tally.restart()
    bench.open()
    tally.made = 2  # two events were made and given up: the tally keeps its last one only
    tally.senses("D", 52)
    bench.run(1_000)
    assert [report.said for report in bench.log] == [
        DeviceIdentified(serial="T-77", firmware="1", boot=1), DeviceRestarted(boot=1), ShufflerStarted(deck="A"),
        DeviceIdentified(serial="T-77", firmware="1", boot=2), DeviceRestarted(boot=2),
        DeviceGap(first=1, last=2), ShufflerDone(deck="A", count=52),
    ]  # fmt: skip


def test_a_session_trusts_its_device_alone_and_reports_unknown_data(driver: Driver) -> None:
    session = driver.session(ExpectedDevice("shuffler", "T-78"))
    session.begin(0)
    assert session.receive(0, frame("D", 1, 52)).reports == ()
    assert (session.identified, session.heard_at) == (False, None)
    with pytest.raises(IdentityMismatchError, match="expected tally T-78, found T-77"):
        session.receive(0, frame("I", 1, 77))
    with pytest.raises(DeviceSilentError, match="no identity"):
        session.tick(5_000)
    known = driver.session(ExpectedDevice("shuffler", "T-77"))
    known.begin(0)
    known.receive(0, frame("I", 1, 77))
    said = known.receive(0, b"\xa5" + frame("D", 1, 999) + frame("?", 2)).reports
    assert [report.said for report in said] == [
        DeviceSuspect(reason="a tally cannot hold 999 cards"), DeviceUnknown(code=ord("?")),
    ]  # fmt: skip
    assert known.stats.bytes_dropped == 1
    refused = DeviceCommand(request="r", command="lock", outcome="refused")
    assert known.command(0, "r", "lock").reports[0].said == refused
    with pytest.raises(DeviceSilentError, match="three seconds"):
        known.tick(3_000)
