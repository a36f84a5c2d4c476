"""What a committed row brings about: at once what the next row depends on, a little later what nobody waits for."""

from dataclasses import dataclass

from pitwarden_client.events.envelope import LogEvent

from pitwarden.field.afterwards import Afterwards
from pitwarden.field.delivery import Delivery
from pitwarden.field.desk import Desk
from pitwarden.field.devices import DeviceIntake
from pitwarden.field.keypads import Keypads
from pitwarden.field.meters import FieldMeters
from pitwarden.field.orders import Orders
from pitwarden.field.pending import LogTime
from pitwarden.field.permit import PermitShown
from pitwarden.field.statuses import Statuses
from pitwarden.field.ticker import Ticker
from pitwarden.field.told import tell


@dataclass(frozen=True, slots=True)
class Followers:
    """Who follows the log."""

    desk: Desk
    orders: Orders
    keypads: Keypads
    ticker: Ticker
    meters: FieldMeters
    permit: PermitShown
    intake: DeviceIntake
    statuses: Statuses
    delivery: Delivery


class Committed:
    """Follower of a table's log: hands each committed row to the components of the half, one after the other."""

    def __init__(self, table: str, followers: Followers, rows: LogTime) -> None:
        self._table, self._to, self._rows = table, followers, rows
        self.afterwards: Afterwards[LogEvent] = Afterwards(self._noted)

    def logged(self, row: LogEvent, waited_ms: int, now_ms: int) -> None:
        """Handle a committed row; it has already been sent to the judge."""
        to = self._to
        to.desk.logged(row)
        to.orders.logged(row)
        to.keypads.logged(row.source.rpartition("/")[2], row.tableseq, row.data)
        to.ticker.logged(row)
        to.meters.logged(row, waited_ms, now_ms)
        tell(self._table, row, to.permit.reasons)
        self.afterwards.put(row)

    def log_idle(self) -> None:
        """Handle that no row waits: devices whose reports were refused are asked again."""
        self._to.intake.log_idle()

    def log_faults(self, names: tuple[str, ...]) -> None:
        """Handle a change of the journal's faults."""
        self._to.statuses.fault("journal", names)

    def _noted(self, row: LogEvent) -> None:
        """The judge may be at it by now."""
        to = self._to
        to.intake.logged(row)
        to.statuses.logged(row)
        to.meters.add_up(self._rows.log_ms())
        to.ticker.poke()
        to.delivery.poke()
