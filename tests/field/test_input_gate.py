"""The input gate accepts an input once, with its number, or refuses it with a reason that an operator can act on."""

from typing import Literal

import pytest

from pitwarden.config.models import InputsSection
from pitwarden.field.inputs.input_gate import KEPT_REFUSALS, InboundInput, InputGate
from pitwarden.field.inputs.second_person import MOST_WAITING, WAIT_MS
from pitwarden.field.log.row_builder import PendingRow, input_digest
from pitwarden.journal.records import InputAnswer
from pitwarden_client.events.base import Position, Role
from pitwarden_client.events.codec import decode, encode
from pitwarden_client.events.dealer_play import KpDeal, KpRoundEnd
from pitwarden_client.events.envelope import GENESIS, LogEvent, rfc3339
from pitwarden_client.events.floor import FtCardRemoved, FtSettleNote, FtTenConfirmed, FtTenDestroyed, Override, Refute
from pitwarden_client.events.inputs import InputLogged, InputReply, TerminalInput
from pitwarden_client.events.topics import Topics
from testkit.brokers.memory_publisher import MemoryPublisher

TOPICS = Topics("s", "t")
EARLIER = "5b800783e249eb8bca65657c827c9f0bec57dd4b9bf2681c8f10ecce4ea8fe43"
"""Digest of an input that was stored before inputs had a witness."""


class Bench:
    """A desk with a log that the test commits by hand."""

    def __init__(self, second_person: Literal["name", "login"] = "name") -> None:
        self.waiting: list[PendingRow] = []
        self.now_ms = 0
        self.desk_rows: list[LogEvent] = []
        self.bus = MemoryPublisher()
        self.answers: dict[tuple[str, str, str], InputAnswer] = {}
        self.refusals: list[tuple[str, str]] = []
        self.full = False
        self.newest = 0
        keyed = InputsSection(keyed=("kp.deal", "kp.misplaced", "kp.round_end"), second_person=second_person)
        self.desk = InputGate(self, self, inputs=keyed, link=self.bus, topics=TOPICS, refusals=self, time=self)
        self.desk.epoch_opened("e1")

    @property
    def replies(self) -> list[tuple[str, InputReply]]:
        return [(topic, decode(InputReply, payload)) for topic, payload, _ in self.bus.published]

    async def answer(self, role: str, terminal: str, input_id: str) -> InputAnswer | None:
        return self.answers.get((role, terminal, input_id))

    def log_ms(self) -> int:
        return self.now_ms

    def refused(self, where: str, kind: str) -> None:
        self.refusals.append((where, kind))

    def offer(self, pending: PendingRow) -> bool:
        if not self.full:
            self.waiting.append(pending)
        self.desk.rounds.offered(pending.content, taken=not self.full)
        return not self.full

    def commit(self) -> LogEvent:
        pending = self.waiting.pop(0)
        self.newest += 1
        assert isinstance(pending.content, InputLogged)
        row = LogEvent(
            id=f"e1/{self.newest}", source="/s/t/pad", type="pitwarden.x", time=rfc3339(0), epoch="e1", logms=0,
            prevhash=GENESIS, simulated=True, tableseq=self.newest, clocksync=True, clockerror=0, data=pending.content,
        )  # fmt: skip
        self.desk_rows.append(row)
        self.desk.logged(row)
        assert pending.done is not None
        pending.done(row)
        return row

    async def ask(
        self, act: object, *, ident: str = "i1", role: Role = "dealer", as_of: Position | None = None, **how: bool
    ) -> None:
        wanted = TerminalInput.model_validate({"id": ident, "person": "p7", "as_of": as_of, "act": act})
        await self.desk.process(InboundInput(role, "pad", encode(wanted), retained=how.get("retained", False)))

    @property
    def last(self) -> InputReply:
        return self.replies[-1][1]


async def test_an_input_is_answered_after_its_commit_and_not_before() -> None:
    bench = Bench()
    await bench.ask(KpDeal())
    assert bench.replies == []
    bench.commit()
    assert bench.replies == [(TOPICS.reply("dealer", "pad"), InputReply(id="i1", accepted=True, number=1))]


async def test_a_repeat_in_flight_is_answered_once_by_the_commit() -> None:
    bench = Bench()
    await bench.ask(KpDeal())
    await bench.ask(KpDeal())
    assert len(bench.waiting) == 1
    bench.commit()
    assert len(bench.replies) == 1


async def test_a_repeated_id_gets_its_first_answer_and_a_changed_one_is_refused() -> None:
    bench = Bench()
    await bench.ask(KpDeal())
    [pending] = bench.waiting
    row = bench.commit()
    assert isinstance(pending.content, InputLogged)
    digest = input_digest(pending.content)
    bench.answers["dealer", "pad", "i1"] = InputAnswer(
        "dealer", "pad", "i1", digest, Position(epoch="e0", number=row.tableseq)
    )
    await bench.ask(KpDeal())
    assert bench.last == InputReply(id="i1", accepted=True, number=1)
    await bench.ask(KpRoundEnd())
    assert not bench.last.accepted
    assert "row 1, with other content" in bench.last.reason


@pytest.mark.parametrize(
    ("how", "kind", "reason"),
    [
        ({"act": KpDeal(), "retained": True}, "retained", "retained"),
        ({"act": KpDeal(), "role": "floor"}, "role", "a floor may not key kp.deal"),
        ({"act": Override(reason="lamp is wrong")}, "role", "a dealer may not key override"),
        ({"act": {"act": "kp.burn_request"}}, "not_keyed", "not among this table's"),
        ({"act": KpDeal(), "as_of": Position(epoch="e0", number=9)}, "stale", "another epoch"),
        ({"act": KpDeal(), "as_of": Position(epoch="e1", number=1)}, "stale", "does not exist"),
    ],
)
async def test_refusals_name_their_reason_are_counted_and_log_nothing(
    how: dict[str, object], kind: str, reason: str
) -> None:
    bench = Bench()
    await bench.ask(**how)  # type: ignore[arg-type]
    assert reason in bench.last.reason
    assert bench.refusals == [("input", kind)]
    assert bench.waiting == []


async def test_what_acted_on_the_state_from_before_this_round_is_stale() -> None:
    bench = Bench()
    await bench.ask(KpRoundEnd(), as_of=Position(epoch="e1", number=0))
    bench.commit()
    await bench.ask(KpDeal(), ident="i2", as_of=Position(epoch="e1", number=0))
    assert "before this round" in bench.last.reason
    await bench.ask(KpDeal(), ident="i3", as_of=None)
    assert "names no state" in bench.last.reason
    await bench.ask(KpDeal(), ident="i4", as_of=Position(epoch="e1", number=1))
    bench.commit()
    assert bench.last.accepted


async def test_a_full_log_refuses_with_the_advice_to_retry_and_the_retry_is_taken() -> None:
    bench = Bench()
    bench.full = True
    await bench.ask(KpDeal())
    assert "try again with the same id" in bench.last.reason
    bench.full = False
    await bench.ask(KpDeal())
    bench.commit()
    assert bench.last.accepted


async def test_bytes_that_are_no_input_are_refused() -> None:
    bench = Bench()
    await bench.desk.process(InboundInput("dealer", "pad", b'{"half":', retained=False))
    assert bench.last.id == "unreadable"
    assert not bench.last.accepted


async def test_a_refused_id_keeps_its_first_answer() -> None:
    bench = Bench()
    await bench.ask(KpDeal(), role="floor")
    first = bench.last
    await bench.ask(KpDeal(), role="floor")
    assert bench.last == first
    await bench.ask(KpRoundEnd(), role="floor")
    assert "used before, with other content" in bench.last.reason


async def test_refusals_are_kept_up_to_a_bound() -> None:
    bench = Bench()
    await bench.ask(KpDeal(), role="floor", ident="first")
    for number in range(KEPT_REFUSALS):
        await bench.ask(KpDeal(), role="floor", ident=f"i{number}")
    await bench.ask(KpRoundEnd(), role="floor", ident="first")
    assert "may not key kp.round_end" in bench.last.reason


async def test_a_key_of_the_senders_own_making_is_not_repeated_to_anybody() -> None:
    bench = Bench()
    await bench.desk.process(InboundInput("dealer", "pad", b'{"id":"i","\\u0001<script>":1}', retained=False))
    assert not bench.last.accepted
    assert "script" not in bench.last.reason


async def test_other_content_under_an_id_that_is_being_logged_is_refused() -> None:
    bench = Bench()
    await bench.ask(KpDeal())
    await bench.ask(KpRoundEnd())
    assert "being logged with other content" in bench.last.reason
    bench.commit()
    assert bench.last.accepted


@pytest.mark.parametrize("hidden", ["\u009b2J", "\u202e", "\u200b", "\ufeff"])
async def test_text_that_a_screen_would_not_show_is_refused(hidden: str) -> None:
    bench = Bench()
    act = Override(reason=f"the shoe{hidden} was moved").model_dump()
    await bench.ask(act, role="supervisor")
    assert not bench.last.accepted
    assert f"U+{ord(hidden[0]):04X}" in bench.last.reason
    assert hidden not in bench.last.reason
    assert bench.waiting == []
    assert bench.refusals == [("input", "hidden_text")]


async def test_a_witness_is_logged_and_is_another_person() -> None:
    bench = Bench()
    alone = TerminalInput(id="i1", person="p7", as_of=None, act=KpDeal(), witness="p7")
    await bench.desk.process(InboundInput("dealer", "pad", encode(alone), retained=False))
    assert bench.last == InputReply(id="i1", accepted=False, reason=bench.last.reason)
    assert "a second person must confirm" in bench.last.reason
    assert bench.refusals == [("input", "witness")]
    both = alone.model_copy(update={"id": "i2", "witness": "p8"})
    await bench.desk.process(InboundInput("dealer", "pad", encode(both), retained=False))
    row = bench.commit().data
    assert isinstance(row, InputLogged)
    assert (row.person, row.witness) == ("p7", "p8")
    assert bench.last.accepted


def test_an_input_without_a_witness_has_the_digest_of_earlier_versions() -> None:
    alone = InputLogged(role="dealer", terminal="pad", person="p7", input_id="i1", as_of=None, act=KpDeal())
    assert input_digest(alone) == EARLIER
    assert input_digest(alone.model_copy(update={"witness": "p8"})) != EARLIER


TORN = FtCardRemoved(deck="A", count=1, reason="torn", face="KD", replaced_by="KS")


@pytest.mark.parametrize(
    ("role", "act"),
    [
        ("floor", TORN),
        ("floor", TORN.model_copy(update={"face": None})),
        ("floor", TORN.model_copy(update={"replaced_by": None})),
        ("floor", FtCardRemoved(deck="A", count=1, reason="the KD is torn")),
        ("floor", FtSettleNote(irregularity="e1-4-0", ruling="the dealer's king of diamonds stays")),
        ("supervisor", Override(reason="the ace is marked")),
        ("dealer", {"act": "kp.misplaced", "first": "KD", "second": "box1.1"}),
    ],
)
async def test_a_card_is_named_after_the_end_of_a_round_alone(role: Role, act: object) -> None:
    bench = Bench()
    await bench.ask(act, role=role, ident="c1")
    assert not bench.last.accepted
    assert bench.last.reason.startswith("the input names a card, and a round may be open")
    assert "key kp.round_end first" in bench.last.reason
    assert "KD" not in bench.last.reason
    assert "king" not in bench.last.reason
    assert bench.waiting == []
    assert bench.refusals == [("input", "card_named")]
    await bench.ask(KpRoundEnd(), ident="end")
    await bench.ask(act, role=role, ident="c2")
    bench.commit()
    after = Position(epoch="e1", number=bench.newest)
    await bench.ask(act, role=role, ident="c3", as_of=after)
    bench.commit()
    await bench.ask(KpDeal(), ident="deal", as_of=after)
    await bench.ask(act, role=role, ident="c4", as_of=after)
    bench.desk.epoch_opened("e2")
    await bench.ask(act, role=role, ident="c5")
    accepted = {reply.id for _, reply in bench.replies if reply.accepted}
    refused = {reply.id for _, reply in bench.replies if not reply.accepted}
    # c2: the end is not committed. c4: the next round begins with a row that waits. c5: a new epoch does not know.
    assert (accepted, refused) == ({"end", "c3"}, {"c1", "c2", "c4", "c5"})


async def test_a_removed_card_without_its_name_is_logged_in_a_round() -> None:
    bench = Bench()
    await bench.ask(FtCardRemoved(deck="A", count=1, reason="torn"), role="floor")
    bench.commit()
    assert bench.last.accepted


DESTROYED = FtTenDestroyed()


async def key_with(bench: Bench, ident: str, login: str, persons: str, act: object = DESTROYED) -> bool:
    """Key `act` at a login as `role/terminal`, by the persons as `person+witness`; return whether it became a row."""
    role, _, terminal = login.partition("/")
    person, _, witness = persons.partition("+")
    fields = {"id": ident, "person": person, "as_of": None, "act": act, "witness": witness}
    wanted = TerminalInput.model_validate(fields)
    await bench.desk.process(InboundInput(role, terminal, encode(wanted), retained=False))  # type: ignore[arg-type]
    if not bench.waiting:
        return False
    bench.commit()
    return True


async def test_a_second_person_confirms_at_another_login_and_the_row_names_both() -> None:
    bench = Bench("login")
    assert not await key_with(bench, "a1", "floor/ta01-floor", "f1+f2")
    assert bench.last.reason == (
        "f2 must key the same act at another login within a minute, with f1 as the second person"
    )
    assert bench.refusals == [("input", "second_person")]
    await key_with(bench, "b1", "supervisor/console", "f2+f1")
    row = bench.desk_rows[-1].data
    assert isinstance(row, InputLogged)
    assert (row.person, row.terminal, row.witness, row.confirmed_at) == ("f2", "console", "f1", "ta01-floor")
    assert bench.last.accepted
    assert not await key_with(bench, "b2", "supervisor/console", "f2+f1"), "a confirmation serves once"


@pytest.mark.parametrize(
    ("login", "persons", "act"),
    [
        ("floor/ta01-floor", "f2+f1", DESTROYED),
        ("floor/console", "f1+f2", DESTROYED),
        ("floor/console", "f3+f1", DESTROYED),
        ("floor/console", "f2+f3", DESTROYED),
        ("floor/console", "f2+f1", FtTenConfirmed()),
        ("floor/console", "f2+f1", FtCardRemoved(deck="A", count=1, reason="torn")),
    ],
    ids=["the same login", "the same person", "another person", "another witness", "another act", "another deck"],
)
async def test_nothing_else_confirms_an_act(login: str, persons: str, act: object) -> None:
    bench = Bench("login")
    assert not await key_with(bench, "a1", "floor/ta01-floor", "f1+f2")
    assert not await key_with(bench, "b1", login, persons, act)


async def test_each_writes_in_the_own_words_and_the_second_one_s_are_logged() -> None:
    bench = Bench("login")
    assert not await key_with(bench, "a1", "floor/ta01-floor", "f1+f2", Refute(irregularity="e1-4-0", reason="not so"))
    other = Refute(irregularity="e1-4-0", reason="I saw it")
    assert await key_with(bench, "b1", "floor/console", "f2+f1", other)
    row = bench.desk_rows[-1].data
    assert isinstance(row, InputLogged)
    assert row.act == other


async def test_a_confirmation_waits_a_minute_and_no_epoch_longer() -> None:
    bench = Bench("login")
    assert not await key_with(bench, "a1", "floor/ta01-floor", "f1+f2")
    bench.now_ms += WAIT_MS + 1
    assert not await key_with(bench, "b1", "floor/console", "f2+f1"), "too late: it waits itself now"
    bench.now_ms += WAIT_MS
    assert await key_with(bench, "a2", "floor/ta01-floor", "f1+f2")
    assert not await key_with(bench, "a3", "floor/ta01-floor", "f1+f2")
    bench.desk.epoch_opened("e2")
    assert not await key_with(bench, "b3", "floor/console", "f2+f1")


async def test_a_flood_of_first_inputs_costs_the_oldest() -> None:
    bench = Bench("login")
    assert not await key_with(bench, "a1", "floor/ta01-floor", "f1+f2")
    for number in range(MOST_WAITING):
        assert not await key_with(bench, f"x{number}", "floor/evil", f"e{number}+f2")
    assert not await key_with(bench, "b1", "floor/console", "f2+f1"), "it was dropped, and both key again"
    assert await key_with(bench, "a2", "floor/ta01-floor", "f1+f2")


async def test_a_witness_by_name_needs_no_second_login_and_shows_that() -> None:
    bench = Bench()
    assert await key_with(bench, "a1", "floor/ta01-floor", "f1+f2")
    row = bench.desk_rows[-1].data
    assert isinstance(row, InputLogged)
    assert (row.witness, row.confirmed_at) == ("f2", None)
