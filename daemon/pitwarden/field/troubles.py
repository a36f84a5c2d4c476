"""What is wrong with a field half itself: said in the status, and in the log for the rules to hear."""

import structlog
from pitwarden_client.events.table import LogFault
from pitwarden_client.mqtt.errors import BusError, TakenOverError

from pitwarden.field.log import OWN, TableLog
from pitwarden.field.pending import Pending
from pitwarden.field.statuses import Statuses
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.salvage_process import salvage_in_child

_LINE = 500  # characters of one fault in a status

_log = structlog.get_logger()


class Troubles:
    """Of one table."""

    def __init__(self, journal: FieldJournal, log: TableLog, statuses: Statuses) -> None:
        self._journal, self._rows, self._statuses = journal, log, statuses
        self._forked = False

    def set_aside(self) -> None:
        """Says that the journal of the last run was damaged, if it was."""
        if self._journal.damage is not None:
            self._say_damaged(f"the old log is kept as {self._journal.damage.kept_as}")

    def damaged(self, reason: str) -> None:
        """Damage found while the service runs; the file is set aside at the next start."""
        self._statuses.fault("journal_content", ("journal_damaged",))
        self._say_damaged(reason)

    async def salvage(self) -> None:
        """What can be read of a log that was set aside at the start; said in the status."""
        damage = self._journal.damage
        if damage is not None:
            found = await salvage_in_child(damage.kept_as)
            self._statuses.fault("salvage", (f"journal_damaged: {found}"[:_LINE],))

    def forked(self, reason: str) -> None:
        """This log is not the one that the judge knows; said once."""
        if not self._forked:
            self._forked = True
            _log.error("log.forked", reason=reason)
            self._statuses.fault("log", ("log_forked",))
            self._rows.offer(Pending(OWN, LogFault(fault="forked", detail=reason)))

    def delivery_refused(self, names: tuple[str, ...]) -> None:
        """Show `names` as what the broker refuses of the log; none when it takes rows again."""
        self._statuses.fault("delivery", names)

    def certificates(self, found: tuple[str, ...]) -> None:
        """Which certificates end soon."""
        self._statuses.fault("certificates", found)

    def linked(self) -> None:
        """The broker is there and the session is ours."""
        self._statuses.fault("link", ())
        self._statuses.say_all()

    def link_lost(self, fault: BusError) -> None:
        """A second client under our id is a fault of its own; any other loss shows by itself."""
        if isinstance(fault, TakenOverError):
            self._statuses.fault("link", ("client_id_conflict",))
            self._rows.offer(Pending(OWN, LogFault(fault="client_id_conflict", detail=str(fault))))

    def _say_damaged(self, reason: str) -> None:
        self._rows.offer(Pending(OWN, LogFault(fault="journal_damaged", detail=reason[:_LINE])))
