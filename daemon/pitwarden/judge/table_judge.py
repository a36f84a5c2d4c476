"""Judge of one table: rows in, outputs and state out.

Invariant: a published output never changes, even when its row is judged again. A row that this version cannot decode
keeps its position; a placeholder marks it as unreadable for the rules core.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final, Protocol

from pitwarden.journal.records import ReceivedRow
from pitwarden.judge.outputs import OutputChain, build_reveal, seal_index
from pitwarden.judge.unsealing import RowUnsealer, SealedRowParts, sealed_row_parts
from pitwarden.rules import RULES_VERSION, RulesState, TableSetup, initial_state, profile_digest, public_state, step
from pitwarden.rules.state.entry import AnswerDue, RevealDue
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import GENESIS, LogEvent, rfc3339
from pitwarden_client.events.outputs import CheckFailed, Output, Permit, TableState
from pitwarden_client.events.table import Head, LogFault
from pitwarden_client.verification.commitment import event_id
from pitwarden_client.verification.errors import SealUnreadableError

_DUE: Final = RevealDue, AnswerDue
# Sealed rows held in memory, more than those of one round. Older ones are read from the journal.
KEPT_ROWS: Final = 128


@dataclass(frozen=True, slots=True)
class TableIdentity:
    """Site and table, and the name of the judge."""

    site: str
    table: str
    judge: str

    @property
    def key(self) -> str:
        """Name of the table in the judge's journal."""
        return f"{self.site}/{self.table}"

    @property
    def source(self) -> str:
        """CloudEvents source of the judge's outputs."""
        return f"/{self.site}/{self.table}/{self.judge}"


class RowSource(Protocol):
    """Store of rows that are no longer in memory."""

    async def rows_after(self, table: str, at: Position | None, limit: int) -> list[ReceivedRow]:
        """Return the stored rows after `at`, at most `limit`."""
        ...


class TableJudge:
    """State of one table and the chain of its outputs. One task may use it at a time."""

    def __init__(self, identity: TableIdentity, setup: TableSetup, unsealer: RowUnsealer, journal: RowSource) -> None:
        self.identity = identity
        self.setup = setup
        self.state: RulesState = initial_state(setup)
        self._unsealer = unsealer
        self._journal = journal
        self._profile = profile_digest(setup)
        self.chain = OutputChain(identity.source, RULES_VERSION, self._profile)
        """Chain that the outputs of rows that were not judged before are appended to."""
        self._sealed: OrderedDict[tuple[str, int], SealedRowParts] = OrderedDict()

    def resume_chain(self, last: int, prevhash: str = GENESIS) -> None:
        """Continue the outputs after number `last`, whose hash is `prevhash`."""
        self.chain = OutputChain(self.identity.source, RULES_VERSION, self._profile, last=last, prevhash=prevhash)

    def add_key(self, row: LogEvent) -> None:
        """Add a key from a row that was judged before the state that this judge starts from."""
        self._unsealer.entry(row)

    def is_trusted_opening(self, opening: LogEvent) -> bool:
        """Return whether a row opens an epoch and is signed by the table's field half."""
        return self._unsealer.is_trusted_opening(opening)

    def trimmed_head(self, head: bytes) -> Head | None:
        """Return the row after which a trimmed log begins.

        None unless a retained head names it and the field half signed that.
        """
        return self._unsealer.trimmed_head(head)

    async def judge(self, row: LogEvent) -> tuple[Output, ...]:
        """Evaluate one row; return the outputs, not numbered yet."""
        sealed = sealed_row_parts(row)
        if sealed.seals:
            self._sealed[row.epoch, row.tableseq] = sealed
            if len(self._sealed) > KEPT_ROWS:
                self._sealed.popitem(last=False)
        entry, opened = self._unsealer.open_row(row, sealed)
        self.state, outputs = step(self.state, entry)
        said: list[Output] = []
        for output in outputs:
            if not isinstance(output, _DUE):
                said.append(output)
            elif opened and (output.epoch, output.event) == (row.epoch, row.tableseq):
                said.append(build_reveal(output, sealed, opened[seal_index(output)]))
            else:
                said.append(await self._published(output))
        return tuple(said)

    def public(self, *, simulated: bool, withheld: str = "") -> TableState:
        """Return the retained state as of the last judged row.

        Args:
            simulated: Whether the table is simulated.
            withheld: Reason of the judge for which the permit is withheld; empty for none.
        """
        shown = public_state(self.state)
        permit = shown.permit
        if withheld:
            permit = Permit(granted=False, reasons=(*permit.reasons[:63], withheld), expires_ms=permit.expires_ms)
        return TableState(
            as_of=Position(epoch=self.state.epoch, number=self.state.number),
            outputs=self.chain.last,
            game=shown.game,
            round=shown.round,
            in_round=shown.in_round,
            permit=permit,
            irregularities=shown.irregularities,
            opened=shown.opened,
            duties=shown.duties,
            rules_version=shown.rules_version,
            profile_digest=shown.profile_digest,
            simulated=simulated,
        )

    async def _published(self, due: RevealDue | AnswerDue) -> Output:
        """Return what becomes public of an earlier row, which is opened again."""
        try:
            row = await self._row(due.epoch, due.event)
            return build_reveal(due, row, self._unsealer.open(row, seal_index(due)))
        except SealUnreadableError:
            return CheckFailed(check=f"reveal of row {due.epoch}/{due.event}", error="seal_unreadable")

    async def _row(self, epoch: str, number: int) -> SealedRowParts:
        kept = self._sealed.get((epoch, number))
        if kept is not None:
            return kept
        before = Position(epoch=epoch, number=number - 1)
        stored = await self._journal.rows_after(self.identity.key, before, 1)
        if not stored or stored[0].at != Position(epoch=epoch, number=number):
            raise SealUnreadableError(f"row {epoch}/{number} is not kept any more")
        return sealed_row_parts(decode(LogEvent, stored[0].body))


def row_or_placeholder(at: Position, event: LogEvent | None, judge: TableJudge, *, simulated: bool) -> LogEvent:
    """Return `event`, or a placeholder for the unreadable row at `at`, with the time of the previous row."""
    if event is not None:
        return event
    return LogEvent(
        id=event_id(at.epoch, at.number),
        source=f"/{judge.identity.key}/table",
        type="pitwarden.log.fault",
        time=rfc3339(judge.state.utc_ms),
        epoch=at.epoch,
        prevhash=GENESIS,
        simulated=simulated,
        tableseq=at.number,
        logms=judge.state.log_ms,
        clocksync=False,
        clockerror=0,
        data=LogFault(fault="row_unreadable", detail=f"row {at.epoch}/{at.number} is no event of this version"),
    )
