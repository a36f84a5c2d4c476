"""A device's dialogue over its open port: what came is heard in order, and what the dialogue asks for is done."""

from typing import Final, Protocol

from pitwarden_client.events.keypad import Lamps

from pitwarden.field.inbox import Inbox
from pitwarden_drivers.api import Lit, Report, Session, Turn
from pitwarden_drivers.ports.api import Port

LEAST_MS: Final = 1  # a driver that always wants to be woken now shall not spin


class ReportHandler(Protocol):
    """Receiver of the reports of one dialogue."""

    def reported(self, report: Report) -> None:
        """Handle one report of the device; reports arrive in the device's order."""
        ...


class Conversation:
    """Dialogue over one opening of `port`; times are monotonic, in ms. `handler` receives every report."""

    def __init__(self, port: Port, session: Session, inbox: Inbox, handler: ReportHandler) -> None:
        self._port, self._session, self._inbox, self._handler = port, session, inbox, handler
        self._wake_at: int | None = None

    def begin(self, now: int, stored: tuple[int, int]) -> None:
        """Asks who is there; `stored` is up to which boot and counter the log has the device, (0, 0) if it has none."""
        self._do(self._session.begin(now))
        if stored[0]:
            self._do(self._session.committed(now, *stored))

    def heed(self, now: int, lamps: Lamps | None) -> None:
        """Everything that waits is heard once, and then the end of the line, if it came: its DeviceFault."""
        session, inbox = self._session, self._inbox
        data = inbox.take_data()
        if data:
            self._do(session.receive(now, data))
        for request, command in inbox.take_orders():
            self._do(session.command(now, request, command))
        if lamps is not None and isinstance(session, Lit):
            self._do(session.show(now, lamps))
        stored = inbox.take_stored()
        if stored is not None:
            self._do(session.committed(now, *stored))
        if inbox.fault is not None:
            raise inbox.fault
        if self._wake_at is not None and self._wake_at <= now:
            self._do(session.tick(now))

    def idle_ms(self, now: int, stale_after_ms: int, most_ms: int) -> int:
        """How long it may wait, `most_ms` at most: the dialogue is to be woken then, or the device counts as stale."""
        heard = self._session.heard_at
        ends = [now + most_ms]
        if self._wake_at is not None:
            ends.append(self._wake_at)
        if heard is not None and heard + stale_after_ms > now:
            ends.append(heard + stale_after_ms)
        return max(min(ends) - now, LEAST_MS)

    def _do(self, turn: Turn) -> None:
        self._wake_at = turn.wake_at
        if turn.send:
            self._port.write(turn.send)
        for report in turn.reports:
            self._handler.reported(report)
