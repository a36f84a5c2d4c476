"""Gate of terminal inputs.

An input is accepted with its log number once it is committed, or refused with the reason. A repeated id with equal
content gets its first answer again. Threat: a client that replays, forges, retains or repeats inputs.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol

from pitwarden.bus.messages import Publisher
from pitwarden.config.models import InputsSection
from pitwarden.field.inputs.round_watch import RoundWatch
from pitwarden.field.inputs.second_person import SecondPersons
from pitwarden.field.log.row_builder import NumberedLog, PendingRow, input_digest
from pitwarden.journal.records import InputAnswer
from pitwarden.system.clock import LogTime
from pitwarden_client.events.base import Position, Role
from pitwarden_client.events.codec import BadPayloadError, decode, encode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.hidden_text import find_hidden
from pitwarden_client.events.inputs import InputLogged, InputReply, TerminalInput, may_send
from pitwarden_client.events.named_cards import names_card
from pitwarden_client.events.topics import Topics

if TYPE_CHECKING:
    import asyncio

# Refusals remembered for repeated ids. A terminal retries within seconds; an older repeat is checked again.
KEPT_REFUSALS: Final = 1_000

CARD_NAMED: Final = (
    "the input names a card, and a round may be open in which it lies face down: key kp.round_end first, "
    "or leave the card out of the input"
)
"""Reason of a refusal. It must not repeat what the person named."""

# Answers to inputs that were not taken, on their way to the broker. They share its window with the rows of the log.
MOST_TURNED_AWAY: Final = 200

Turned = Literal["queue_full", "too_many"]
"""Why the inbox did not take an input."""
_TURNED_AWAY: Final[dict[Turned, str]] = {
    "queue_full": "too many inputs wait: wait for the answers to the others, then send this one again with the same id",
    "too_many": "this terminal sends inputs too fast: wait a second, then send this one again with the same id",
}


class InputAnswers(Protocol):
    """Journal that stores the first answer to each input."""

    async def answer(self, role: str, terminal: str, input_id: str) -> InputAnswer | None:
        """Return the first answer to this input id; None where the id is new."""
        ...


class RefusalCounter(Protocol):
    """Metrics that count what is refused."""

    def refused(self, where: str, kind: str) -> None:
        """Count a refusal of `kind`; `where` names the kind of message that was refused."""
        ...


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """First answer to an input id."""

    digest: str
    """SHA-256 of the input's content, in hexadecimal."""
    number: int | None
    """Log number of the accepted input; None where it was refused."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class InboundInput:
    """Input as it arrived, unverified."""

    role: Role
    terminal: str
    payload: bytes
    retained: bool


class InputGate:
    """Gate that accepts or refuses terminal inputs for one epoch of one table. One input is processed at a time."""

    def __init__(
        self,
        journal: InputAnswers,
        log: NumberedLog,
        *,
        inputs: InputsSection,
        link: Publisher,
        topics: Topics,
        refusals: RefusalCounter,
        time: LogTime,
    ) -> None:
        self._journal, self._log, self._link, self._topics = journal, log, link, topics
        self._inputs, self._refusals, self._time = inputs, refusals, time
        self._waiting: dict[tuple[str, str, str], str] = {}
        self._refused: OrderedDict[tuple[str, str, str], StoredAnswer] = OrderedDict()
        self._epoch = ""
        self._round_from = 0
        self._turned_away = 0
        self.rounds = RoundWatch()
        """Watch for an open round; it follows what is offered to the log."""
        self._second_persons = SecondPersons()

    def epoch_opened(self, epoch: str) -> None:
        """Begin an epoch: inputs that acted on the state of another one are stale from here on."""
        self._epoch = epoch
        self.rounds = RoundWatch()
        self._second_persons = SecondPersons()
        self._round_from = 0

    def logged(self, row: LogEvent) -> None:
        """Follow inputs and faults of the log: inputs that acted on a state from before a round's end are stale."""
        self.rounds.logged(row)
        if isinstance(row.data, InputLogged) and row.data.act.act == "kp.round_end":
            self._round_from = row.tableseq

    async def process(self, asked: InboundInput) -> None:
        """Answer one input, at once or after its commit."""
        if asked.retained:
            self._refuse(asked, "retained", "retained", "a retained input is never obeyed: send it again, not retained")
            return
        try:
            wanted = decode(TerminalInput, asked.payload)
        except BadPayloadError as error:
            self._refuse(asked, "unreadable", "unreadable", f"this is no input: {error}")
            return
        logged = InputLogged(
            role=asked.role, terminal=asked.terminal, person=wanted.person, input_id=wanted.id, as_of=wanted.as_of,
            act=wanted.act, witness=wanted.witness,
        )  # fmt: skip
        hidden = find_hidden(encode(logged).decode())
        if hidden is not None:
            why = f"the text holds the hidden character {hidden}: key the text again without it"
            self._refuse(asked, wanted.id, "hidden_text", why)
            return
        content = input_digest(logged)
        key = (asked.role, asked.terminal, wanted.id)
        if key in self._waiting:
            if self._waiting[key] != content:
                self._refuse(asked, wanted.id, "id_reused", "this id is being logged with other content")
            # The same input is already being committed; that commit answers this request too.
            return
        known = self._refused.get(key) or await self._stored_answer(*key)
        if known is not None:
            self._repeat(asked, wanted, known, content)
            return
        kind, reason, confirmed_at = self._admission(asked, wanted)
        if reason:
            self._store_refusal(key, StoredAnswer(content, None, reason))
            self._refuse(asked, wanted.id, kind, reason)
            return
        logged = logged.model_copy(update={"confirmed_at": confirmed_at})
        self._waiting[key] = content
        if not self._log.offer(PendingRow(asked.terminal, logged, done=lambda row: self._accept(key, row))):
            self._waiting.pop(key, None)
            self._refuse(
                asked, wanted.id, "queue_full", "the table's log takes nothing now; try again with the same id"
            )

    def turn_away(self, asked: InboundInput, kind: Turned) -> None:
        """Answer an input that the inbox did not take. A flood is answered as fast as the broker takes the answers."""
        self._refusals.refused("input", kind)
        if self._turned_away >= MOST_TURNED_AWAY:
            return
        try:
            ident = decode(TerminalInput, asked.payload).id
        except BadPayloadError:
            ident = "unreadable"
        answer = InputReply(id=ident, accepted=False, reason=_TURNED_AWAY[kind])
        self._turned_away += 1
        sent = self._link.publish(self._topics.reply(asked.role, asked.terminal), encode(answer))
        sent.add_done_callback(self._turned_away_ended)

    def _turned_away_ended(self, done: "asyncio.Future[None]") -> None:
        self._turned_away -= 1
        done.cancelled() or done.exception()  # a reply that was lost is asked for again, with the same id

    async def _stored_answer(self, role: Role, terminal: str, ident: str) -> StoredAnswer | None:
        answer = await self._journal.answer(role, terminal, ident)
        if answer is None:
            return None
        return StoredAnswer(answer.digest, None if answer.at is None else answer.at.number, answer.reason)

    def _reply(self, role: Role, terminal: str, reply: InputReply) -> None:
        self._link.publish(self._topics.reply(role, terminal), encode(reply))

    def _accept(self, key: tuple[Role, str, str], row: LogEvent) -> None:
        self._waiting.pop(key, None)
        role, terminal, ident = key
        self._reply(role, terminal, InputReply(id=ident, accepted=True, number=row.tableseq))

    def _repeat(self, asked: InboundInput, wanted: TerminalInput, known: StoredAnswer, content: str) -> None:
        if known.digest != content:
            where = "" if known.number is None else f" for row {known.number}"
            self._refuse(asked, wanted.id, "id_reused", f"this id was used before{where}, with other content")
        elif known.number is None:
            self._refuse(asked, wanted.id, "repeated", known.reason)
        else:
            self._reply(asked.role, asked.terminal, InputReply(id=wanted.id, accepted=True, number=known.number))

    def _store_refusal(self, key: tuple[str, str, str], answer: StoredAnswer) -> None:
        self._refused[key] = answer
        if len(self._refused) > KEPT_REFUSALS:
            self._refused.popitem(last=False)

    def _refuse(self, asked: InboundInput, ident: str, kind: str, reason: str) -> None:
        self._refusals.refused("input", kind)
        self._reply(asked.role, asked.terminal, InputReply(id=ident, accepted=False, reason=reason[:500]))

    def _admission(self, asked: InboundInput, wanted: TerminalInput) -> tuple[str, str, str | None]:
        """Return kind and reason of a refusal, empty when accepted, and the terminal at which a witness confirmed."""
        kind, reason = self._reason_against(asked, wanted)
        if reason or wanted.witness is None or self._inputs.second_person == "name":
            return kind, reason, None
        where = self._second_persons.confirmed_at(asked.role, asked.terminal, wanted, self._time.log_ms())
        if where is not None:
            return "", "", where
        why = (
            f"{wanted.witness} must key the same act at another login within a minute, with {wanted.person} as the"
            " second person"
        )
        return "second_person", why, None

    def _reason_against(self, asked: InboundInput, wanted: TerminalInput) -> tuple[str, str]:
        """Return the kind and the reason of a refusal; the reason is empty when the input is accepted."""
        act = wanted.act.act
        if not may_send(asked.role, act):
            return "role", f"a {asked.role} may not key {act}"
        if not self._inputs.keys(act):
            return "not_keyed", f"{act} is not among this table's [inputs]"
        if wanted.witness == wanted.person:
            return "witness", "the witness is the person who keys: a second person must confirm"
        stale = self._staleness(wanted.as_of)
        if stale:
            return "stale", stale
        # A row is published before the judge reads it: what the rules refuse would be on the bus by then.
        return "card_named", CARD_NAMED if names_card(wanted.act) and self.rounds.may_be_open else ""

    def _staleness(self, as_of: Position | None) -> str:
        if as_of is None:
            return "" if self._round_from == 0 else "the input names no state that it acted on"
        if as_of.epoch != self._epoch:
            return "the input acted on the state of another epoch: look at the table's state and key it again"
        if as_of.number < self._round_from:
            return "the input acted on the state from before this round: look at the table's state and key it again"
        if as_of.number > self._log.newest:
            return "the input names a state that does not exist"
        return ""
