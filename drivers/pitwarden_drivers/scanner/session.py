"""Dialogue with a HID bar-code scanner, which only sends. It neither numbers nor stores its scans.

Every opening counts as a boot of its own, and the session numbers its events. A scan without an open port is lost.
That a dialogue ended in between is reported (`device.restarted`).
"""

from typing import Final

from pitwarden_client.events.device import CommandName, DeviceCommand, DeviceIdentified, DeviceRestarted, DeviceSuspect
from pitwarden_drivers.api import DeviceReport, ExpectedDevice, LineStats, Said, SessionOutput
from pitwarden_drivers.errors import DeviceSilentError, IdentityMismatchError, PortUnsuitableError
from pitwarden_drivers.framing.hid_descriptor import DescriptorError, ReportLayout, parse_descriptor
from pitwarden_drivers.framing.hid_stream import HidIdentity, HidReport, HidStream
from pitwarden_drivers.scanner.meaning import Scan, ScanInterpreter
from pitwarden_drivers.scanner.wire import ScanPart, is_scanner, parse_report, reports_accuracy

# Longest time in ms until the session is woken while nothing is scanned.
WAKE_MS: Final = 1_000
# Parts of one scan arrive a poll interval apart, about 10 ms.
NEXT_PART_MS: Final = 500
# Time in ms for the report descriptor, after which the port is the wrong one.
OPENED_MS: Final = 5_000
# Bytes of one scan. The code of a card has some ten; a longer scan is reported as suspect.
MAX_SCAN: Final = 1_024


class ScannerSession:
    """Dialogue over one opening of a port."""

    def __init__(self, meaning: ScanInterpreter, expected: ExpectedDevice) -> None:
        self._meaning = meaning
        self._expected = expected
        self._records = HidStream()
        self._boot = expected.last_boot + 1
        self._counter = 0
        self._layout: ReportLayout | None = None
        self._heard = self._begun = 0
        self._before = self._rejected = 0
        self._parts = bytearray()
        self._first: ScanPart | None = None
        self._torn_at: int | None = None
        self._reports: list[DeviceReport] = []

    @property
    def identified(self) -> bool:
        """True if the scanner has proved to be the configured one."""
        return self._layout is not None

    @property
    def heard_at(self) -> int | None:
        """Time of the last sign of life, monotonic ms.

        A scanner has no heartbeat: while its port is open it is plugged in.
        """
        return self._heard if self.identified else None

    @property
    def stats(self) -> LineStats:
        """Input discarded so far."""
        return LineStats(frames_rejected=self._rejected, bytes_dropped=self._records.dropped, before_sync=self._before)

    def begin(self, now: int) -> SessionOutput:
        """Wait for the identity record of the port."""
        self._begun = now
        return self._turn(now)

    def receive(self, now: int, data: bytes) -> SessionOutput:
        """Process bytes in chunks of any size.

        Raises:
            IdentityMismatchError: Another device is connected.
            PortUnsuitableError: The device is not a scanner.
        """
        for record in self._records.feed(data):
            if isinstance(record, HidIdentity):
                self._welcome(now, record)
            elif self._layout is None:
                self._before += len(record.report)
            else:
                self._take(now, self._layout, record)
        return self._turn(now)

    def tick(self, now: int) -> SessionOutput:
        """End a scan whose last part never arrived.

        Raises:
            DeviceSilentError: No identity record arrived in time.
        """
        if self._layout is not None:
            self._heard = now
        elif now - self._begun >= OPENED_MS:
            raise DeviceSilentError(f"no descriptor in {OPENED_MS} ms: see that the port is a hid:// one")
        if self._torn_at is not None and now >= self._torn_at:
            self._finish(torn=True)
        return self._turn(now)

    def committed(self, now: int, boot: int, counter: int) -> SessionOutput:  # noqa: ARG002  it stores nothing
        """Do nothing: a scanner stores no events."""
        return self._turn(now)

    def command(self, now: int, request: str, command: CommandName) -> SessionOutput:
        """Refuse: a scanner cannot lock, unlock or count."""
        self._report(DeviceCommand(request=request, command=command, outcome="refused"))
        return self._turn(now)

    def _welcome(self, now: int, found: HidIdentity) -> None:
        wanted = self._expected
        if found.serial != wanted.serial:
            raise IdentityMismatchError(
                f"serial number {found.serial[:64]!r} answers where {wanted.serial!r} is configured"
            )
        if wanted.firmware and found.release not in wanted.firmware:
            raise IdentityMismatchError(f"firmware {found.release[:64]!r} is none of {', '.join(wanted.firmware)}")
        try:
            layout = parse_descriptor(found.descriptor)
        except DescriptorError as bad:
            raise PortUnsuitableError(f"its report descriptor is none, {bad}: use another scanner") from None
        if not is_scanner(layout):
            raise PortUnsuitableError(
                "it has no report with decoded data (HID page 8C): set the scanner to HID POS mode"
            )
        if self._meaning.codes.least_accuracy is not None and not reports_accuracy(layout):
            raise PortUnsuitableError("it reports no accuracy, which the codes file asks for: leave out least_accuracy")
        if self._layout is None:
            self._report(DeviceIdentified(serial=found.serial, firmware=found.release or "unknown", boot=self._boot))
            self._report(DeviceRestarted(boot=self._boot))
        self._layout, self._heard = layout, now

    def _take(self, now: int, layout: ReportLayout, record: HidReport) -> None:
        self._heard = now
        try:
            part = parse_report(layout, record.report)
        except ValueError:
            self._rejected += 1
            return
        if part is None:
            return
        first = self._first = self._first or part
        self._parts += part.data
        if len(self._parts) > MAX_SCAN:
            self._forget()
            self._emit(DeviceSuspect(reason=f"a scan of more than {MAX_SCAN} bytes"))
        elif part.continued:
            self._torn_at = now + NEXT_PART_MS
        elif part.symbology != first.symbology:
            self._forget()
            self._emit(DeviceSuspect(reason="a scan began in one symbology and ended in another"))
        else:
            self._finish(torn=False, last=part)

    def _finish(self, *, torn: bool, last: ScanPart | None = None) -> None:
        """Report the event of a finished scan."""
        told = [part.accuracy for part in (self._first, last) if part is not None and part.accuracy is not None]
        symbology = "" if self._first is None else self._first.symbology
        scan = Scan(symbology, bytes(self._parts), min(told, default=None), torn)
        self._forget()
        self._emit(self._meaning.interpret(scan))

    def _forget(self) -> None:
        self._first, self._torn_at = None, None
        self._parts.clear()

    def _emit(self, said: Said) -> None:
        self._counter += 1
        self._report(said, self._counter)

    def _report(self, said: Said, counter: int = 0) -> None:
        self._reports.append(DeviceReport(self._boot, counter, said))

    def _turn(self, now: int) -> SessionOutput:
        reports = tuple(self._reports)
        self._reports.clear()
        return SessionOutput(
            b"", reports, min(now + WAKE_MS, now + WAKE_MS if self._torn_at is None else self._torn_at)
        )
