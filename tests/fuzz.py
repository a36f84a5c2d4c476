"""Fuzzing at length: `python tests/fuzz.py TARGET [--minutes 10] [--seed 0]`; exit code 1 with the smallest bad input.

A target takes bytes and must refuse them with its own error or take them: no other exception, no hang (2 s of the
processor for one input), no buffer that grows. Inputs are random bytes, and mutations of real ones.
"""

import argparse
import resource
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from pitwarden.config.loading import ExternalChecks, load_table_file
from pitwarden.config.problems import ConfigError
from pitwarden.journal.field_store import FieldStore
from pitwarden.journal.records import NewRow
from pitwarden.journal.sqlite_pages import MAX_HEADER, open_pages, read_records
from pitwarden.scenario import ScenarioError, parse_scenario, play_scenario
from pitwarden.system.clock import SystemClock
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import BadPayloadError, decode, digest, encode
from pitwarden_client.events.dealer_play import KpDeal
from pitwarden_client.events.device import DeviceOrder
from pitwarden_client.events.envelope import GENESIS, LogEvent, OutputEvent
from pitwarden_client.events.inputs import TerminalInput
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.status import ConsumerPosition, LogHead, ReplayRequest
from pitwarden_drivers.api import ExpectedDevice, Session
from pitwarden_drivers.capture.format import CaptureFormatError, parse_capture
from pitwarden_drivers.capture.replay import CaptureReplay
from pitwarden_drivers.errors import DeviceError
from pitwarden_drivers.framing.hid_stream import HidIdentity, HidReport
from pitwarden_drivers.framing.stuffed import Framer, GoodFrame
from pitwarden_drivers.registry import find_driver
from pitwarden_drivers.tdp import DRIVER
from pitwarden_drivers.tdp.wire import decode as decode_frame
from pitwarden_simulators.devices.memory import Memory
from pitwarden_simulators.devices.scanner import DESCRIPTOR, reports_of
from pitwarden_simulators.devices.tdp_device import TdpDevice

HERE: Final = Path(__file__).parent
SLOW_S: Final = 2.0
BATCH: Final = 500
Target = Callable[[bytes], None]


def wire(data: bytes) -> None:
    """Bytes of a line to frames."""
    framer = Framer()
    for found in framer.feed(data):
        if isinstance(found, GoodFrame):
            decode_frame(found.content)


def session(data: bytes) -> None:
    """Play a device that sends arbitrary bytes, in pieces, while time passes."""
    dialogue = DRIVER.session(ExpectedDevice("shoe", "S1"))
    sent = dialogue.begin(0).send
    if len(data) % 2:  # every other one begins as an honest device
        device = TdpDevice("shoe", "S1", Memory(1))
        for now in (1, 2, 3):
            sent = dialogue.receive(now, device.receive(now, sent)).send
    try:
        _babble(dialogue, data)
    except DeviceError as fault:  # its class is the policy: the keeper closes the port and opens it again
        str(fault)


def _babble(dialogue: Session, data: bytes) -> None:
    now, step = 0, max(1, len(data) // 5)
    for start in range(0, len(data), step):
        now += 700
        dialogue.receive(now, data[start : start + step])
        turn = dialogue.tick(now)
        if turn.wake_at is not None and turn.wake_at < 0:
            raise AssertionError("a dialogue wants to be woken before time began")


def events(data: bytes) -> None:
    """Messages of the bus."""
    models = (LogEvent, OutputEvent, TerminalInput, DeviceOrder, TableState, ConsumerPosition, LogHead, ReplayRequest)
    for model in models:
        try:
            encode(decode(model, data))
        except BadPayloadError as error:
            if len(str(error)) > 1_000:
                raise AssertionError("a refusal repeats what was sent") from error


def pages(data: bytes) -> None:
    """Salvage the rows of a damaged journal."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        path.write_bytes(data)
        with open_pages(path) as pages:
            for page, start in pages.all():
                if any(len(record.values) > MAX_HEADER for record in read_records(page, start, pages)):
                    raise AssertionError("a row with more columns than it may have")


def config(data: bytes) -> None:
    """Table files."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.toml"
        path.write_bytes(data)
        try:
            load_table_file(path, ExternalChecks(port=lambda _path, _simulated: None, driver=lambda _name: None), {})
        except ConfigError as refused:
            str(refused)


def scenario(data: bytes) -> None:
    """Scenario files, read and played."""
    try:
        play_scenario(parse_scenario(data.decode(errors="replace"), "fuzz.scn"))
    except ScenarioError as refused:
        str(refused)


def corpus(target: str) -> list[bytes]:
    """Real inputs to begin with."""
    match target:
        case "wire" | "session":
            device = TdpDevice("shoe", "S1", Memory(1))
            return [device.tick(0), device.tick(5_000), bytes.fromhex("7e13ff7e0d0a7d7d00427e7e83000000070000007e")]
        case "scanner":
            hello = HidIdentity("S1", "1.00", DESCRIPTOR).to_bytes()
            return [hello, hello + b"".join(HidReport(one).to_bytes() for one in reports_of(b"10D17" * 8))]
        case "capture":
            return [path.read_bytes() for path in sorted((HERE / "captures").glob("tdp-*.capture"))]
        case "config":
            return [path.read_bytes() for path in sorted((HERE.parent / "config").glob("*.toml"))]
        case "pages":
            return [_journal()]
        case "scenario":
            return [path.read_bytes() for path in sorted((HERE / "scenarios").rglob("*.scn"))[::9]]
        case _:
            asked = TerminalInput(id="a", person="p", as_of=None, act=KpDeal())
            return [encode(asked), encode(ReplayRequest(id="q", of="log", limit=1)), b'{"n":NaN}', b"[" * 9_000]


def scanner(data: bytes) -> None:
    """Play a HID scanner that sends arbitrary bytes, in pieces."""
    dialogue = find_driver(f"scan:{HERE.parent / 'config/codes/coded-shoe.toml'}").session(ExpectedDevice("shoe", "S1"))
    dialogue.begin(0)
    try:
        _babble(dialogue, data)
    except DeviceError as fault:
        str(fault)


def capture(data: bytes) -> None:
    """Read and replay captures."""
    try:
        made = parse_capture("fuzz.capture", data.decode(errors="replace"))
        CaptureReplay(made, DRIVER).lines()
    except CaptureFormatError as refused:
        str(refused)


def _journal() -> bytes:
    """Return a journal with two rows, one of them on overflow pages."""
    with TemporaryDirectory() as folder:
        store = FieldStore(Path(folder) / "log")
        before = GENESIS
        for number in (1, 2):
            body = b'{"epoch":"e","filling":"%s"}' % (b"x" * (9_000 * number - 8_000))
            store.append([NewRow(Position(epoch="e", number=number), digest(body), before, "t", body)])
            before = digest(body)
        store.close()
        return (Path(folder) / "log").read_bytes()


TARGETS: Final[dict[str, Target]] = {
    each.__name__: each for each in (wire, session, events, pages, config, scenario, scanner, capture)
}


@st.composite
def mutated(draw: st.DrawFn, inputs: list[bytes]) -> bytes:
    """Return a real input with up to eight changes."""
    data = bytearray(draw(st.sampled_from(inputs)))
    for _ in range(draw(st.integers(1, 8))):
        at = draw(st.integers(0, len(data)))
        match draw(st.sampled_from(("put", "cut", "flip", "again", "join"))):
            case "put":
                data[at:at] = draw(st.binary(max_size=8))
            case "cut":
                del data[at : at + draw(st.integers(1, 40))]
            case "flip" if at < len(data):
                data[at] ^= 1 << draw(st.integers(0, 7))
            case "again":
                data[at:at] = data[at : at + draw(st.integers(1, 200))]
            case _:
                other = draw(st.sampled_from(inputs))
                data[at:] = other[draw(st.integers(0, len(other))) :]
    return bytes(data[:200_000])


def batch(target: str, number: int) -> None:
    """One batch of inputs; raises with the smallest input that is not taken as it must be."""
    run = TARGETS[target]

    @seed(number)
    @settings(
        max_examples=BATCH, deadline=None, database=None, phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(data=st.one_of(st.binary(max_size=2_000), mutated(corpus(target))))
    def once(data: bytes) -> None:
        began = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        run(data)
        took = resource.getrusage(resource.RUSAGE_SELF).ru_utime - began
        if took > SLOW_S:
            raise AssertionError(f"{len(data)} bytes took {took:.1f} s of the processor")

    once()


def main() -> int:
    """Fuzzes one target for so long."""
    parser = argparse.ArgumentParser(description="Hostile bytes at length: nothing may crash, hang or grow.")
    parser.add_argument("target", choices=sorted(TARGETS))
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0, help="of the first batch")
    args = parser.parse_args()
    clock = SystemClock()
    end, number = clock.mono_ms() + round(args.minutes * 60_000), args.seed
    while clock.mono_ms() < end:
        try:
            batch(args.target, number)
        except Exception:  # noqa: BLE001  whatever it is, it is what was looked for
            traceback.print_exc()
            print(f"{args.target}: batch {number}, after {(number - args.seed) * BATCH} inputs", file=sys.stderr)  # noqa: T201
            return 1
        number += 1
    print(f"{args.target}: {(number - args.seed) * BATCH} inputs in {args.minutes} minutes, nothing found")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
