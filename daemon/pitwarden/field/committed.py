"""What a committed row brings about: at once what the next row depends on, a little later what nobody waits for."""

from collections.abc import Callable
from dataclasses import dataclass

from pitwarden.events.envelope import LogEvent
from pitwarden.field.afterwards import Afterwards
from pitwarden.field.delivery import Delivery
from pitwarden.field.devices import DeviceIntake
from pitwarden.field.keypads import Keypads
from pitwarden.field.meters import FieldMeters
from pitwarden.field.permit import PermitShown
from pitwarden.field.requests import Requests
from pitwarden.field.statuses import Statuses
from pitwarden.field.ticker import Ticker
from pitwarden.field.told import tell


@dataclass(frozen=True, slots=True)
class Followers:
    """Who follows the log."""

    requests: Requests
    keypads: Keypads
    ticker: Ticker
    meters: FieldMeters
    permit: PermitShown
    intake: DeviceIntake
    statuses: Statuses
    delivery: Delivery


class Committed:
    """The committed rows of `table`, one after the other; `log_ms` is log time now."""

    def __init__(self, table: str, followers: Followers, log_ms: Callable[[], int]) -> None:
        self._table, self._to, self._log_ms = table, followers, log_ms
        self.afterwards: Afterwards[LogEvent] = Afterwards(self._noted)

    def logged(self, row: LogEvent) -> None:
        """A row was committed, and has left for the judge."""
        to = self._to
        to.requests.logged(row)
        to.keypads.logged(row.source.rpartition("/")[2], row.tableseq, row.data)
        to.ticker.logged(row)
        to.meters.logged(row, self._log_ms())
        tell(self._table, row, to.permit.reasons)
        self.afterwards.put(row)

    def _noted(self, row: LogEvent) -> None:
        """The judge may be at it by now."""
        to = self._to
        to.intake.logged(row)
        to.statuses.logged(row)
        to.meters.add_up(self._log_ms())
        to.ticker.poke()
        to.delivery.poke()
