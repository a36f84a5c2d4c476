"""Checks of identity: nothing is trusted before the device has proved to be the configured one."""

from pitwarden_client.events.device import DeviceIdentified
from pitwarden_drivers.errors import IdentityMismatchError
from pitwarden_simulators.session_kit.bench import SessionBench
from pitwarden_simulators.session_kit.play import AFTER, NotPlayableError, SessionPlay, check

_LATE_MS = 20_000


def reported(play: SessionPlay) -> None:
    """Check that the identity is reported, with the serial number that is configured."""
    bench = play.ready()
    bench.run(1_000)
    found = [one.said.serial for one in bench.reports if isinstance(one.said, DeviceIdentified)]
    check(found[:1] == [bench.device.serial], "no device.identified with the configured serial number is reported")
    check(bench.session is not None and bench.session.heard_at is not None, "heard_at is None after identification")


def late(play: SessionPlay) -> None:
    """Check that a device that is switched on late is identified."""
    bench = play.bench()
    bench.powered = False
    bench.run(_LATE_MS)
    check(bench.session is None or not bench.session.identified, "a device that is switched off is identified")
    bench.powered = True
    check(bench.identified(), f"a device that is switched on {_LATE_MS // 1_000} s late is not identified within 30 s")


def other_serial(play: SessionPlay) -> None:
    """Check that a device with another serial number is refused."""
    _refused(play.bench(serial=f"{play.make().serial}X"), "serial number")


def other_firmware(play: SessionPlay) -> None:
    """Check that firmware that is not in the list is refused."""
    _refused(play.bench(firmware="no such release"), "firmware")


def _refused(bench: SessionBench, what: str) -> None:
    for _ in range(AFTER):
        bench.device.happen()
    bench.run(10_000)
    check(
        any(isinstance(fault, IdentityMismatchError) for fault in bench.faults),
        f"a device with another {what} raises no IdentityMismatchError",
    )
    check(not any(one.counter for one in bench.reports), f"events of a device with another {what} are reported")


def nothing_before(play: SessionPlay) -> None:
    """Check that events which arrive before the answer to the query are not reported as trusted."""
    bench = play.bench()
    bench.to_device = lambda _: []
    bench.run(1_000)
    if bench.session is not None and bench.session.identified:
        raise NotPlayableError("it is identified without a query")
    for _ in range(AFTER):
        bench.device.happen()
        bench.run(1_000)
    check(not bench.early, "an event is reported before the device is identified")
