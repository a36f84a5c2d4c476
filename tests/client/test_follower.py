"""Whatever a network and a consumer's own deaths do: each row and output once, in order, reveals with their cards."""

import itertools
import random
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwarden.client import follower as follower_module
from pitwarden.client.follower import Follower
from pitwarden.client.items import Break, Cursor, Item, Row, Said
from pitwarden.client.trust import signed_by
from pitwarden.events.base import Position
from pitwarden.events.codec import decode
from pitwarden.events.envelope import LogEvent
from pitwarden.events.outputs import ReaderRevealed, Reveal
from pitwarden.events.status import ReplayReply
from pitwarden.events.table import Head
from served_table import Served, evening
from silent_halves import SIGNER


def dice(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  what happens when, not a secret


SOURCE = "/silent/cb-auto/"
STEPS = evening()
LOG = [body for of, body in STEPS if of == "log"]
OUTPUTS = [body for of, body in STEPS if of == "outputs"]


@dataclass
class Lab:
    """A table, a lossy network and a consumer that stores items with their cursor."""

    random: random.Random
    served: Served = field(default_factory=Served)
    items: list[Item] = field(default_factory=list)
    cursor: Cursor = field(default_factory=Cursor)
    now: int = 0
    lost: float = 0.0
    up: bool = True

    def __post_init__(self) -> None:
        self.names = (f"q{n}" for n in itertools.count())
        self.restart()

    def restart(self) -> None:
        """Whatever was not stored is forgotten."""
        self.follower = Follower(SOURCE, self.cursor, "oldest", lambda: next(self.names))
        self.follower.link(up=self.up)

    def link(self, *, up: bool) -> None:
        self.up = up
        self.follower.link(up=up)

    def live(self, of: str, body: bytes) -> None:
        (self.served.rows if of == "log" else self.served.outputs).append(body)
        if self.arrives():
            (self.follower.row if of == "log" else self.follower.output)(body, self.now)

    def arrives(self) -> bool:
        return self.up and self.random.random() >= self.lost

    def ask(self, only: str = "") -> None:
        for request in self.follower.requests(self.now) if self.up else ():
            if only and request.of != only:
                continue  # lost: it is asked for again
            bodies, reply = self.served.answer(request)
            for body in bodies:
                if self.arrives():
                    take = self.follower.row if request.of == "log" else self.follower.output
                    take(body, self.now, replayed=True)
            if self.arrives():
                self.follower.reply(reply, self.now)

    def store(self, most: int = 10_000) -> None:
        for _ in range(min(most, len(self.follower.items))):
            item = self.follower.items.popleft()
            self.items.append(item)
            self.cursor = item.cursor

    def settle(self) -> None:
        """The network is well; time passes until all is there."""
        self.lost = 0.0
        self.link(up=True)
        for _ in range(200):
            self.now += 1_000
            self.ask()
            self.store()
            if self.follower.caught_up and not self.follower.items:
                return
        raise AssertionError("it never caught up")

    def rows(self) -> list[bytes]:
        return [item.body for item in self.items if isinstance(item, Row)]

    def outputs(self) -> list[bytes]:
        return [item.body for item in self.items if isinstance(item, Said)]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), lost=st.sampled_from([0.0, 0.05, 0.4]), deaths=st.sampled_from([0.0, 0.02, 0.2]))
def test_each_row_and_output_once_and_in_order(seed: int, lost: float, deaths: float) -> None:
    chance = dice(seed)
    lab = Lab(chance, lost=lost)
    for of, body in STEPS:
        lab.live(of, body)
        lab.now += chance.choice((0, 10, 3_000))
        if chance.random() < 0.3:
            lab.ask()
        if chance.random() < 0.2:
            lab.store(chance.randrange(20))
        if chance.random() < deaths:
            lab.restart()
        if chance.random() < 0.05:
            lab.link(up=not lab.up)
        if chance.random() < 0.05:
            again = chance.choice(lab.served.rows)
            lab.follower.row(again, lab.now)
    lab.settle()
    assert lab.rows() == LOG
    assert lab.outputs() == OUTPUTS
    assert not any(isinstance(item, Break) for item in lab.items)
    seen: set[tuple[str, int]] = set()
    for item in lab.items:
        if isinstance(item, Row):
            seen.add((item.at.epoch, item.at.number))
        elif isinstance(item, Said):
            assert item.event is not None
            assert (item.event.epoch, item.event.tableseq) in seen, "an output came before its row"


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32), deaths=st.sampled_from([0.0, 0.05, 0.5]))
def test_every_reveal_finds_its_card_and_proves_it_also_after_a_restart(seed: int, deaths: float) -> None:
    chance = dice(seed)
    lab = Lab(chance)
    for of, body in STEPS:
        lab.live(of, body)
        lab.ask()
        lab.store()
        if chance.random() < deaths:
            lab.restart()
            lab.now += 1_000
            lab.ask()
    lab.settle()
    reveals = [
        item
        for item in lab.items
        if isinstance(item, Said) and item.event is not None and isinstance(item.event.data, Reveal | ReaderRevealed)
    ]
    assert len(reveals) > 50
    assert all(item.proved and item.card is not None for item in reveals)


@pytest.mark.parametrize("first", ["log", "outputs"])
@pytest.mark.parametrize("limit", [7, 50, 500])
def test_reveals_find_their_cards_however_far_one_chain_is_read_ahead(
    monkeypatch: pytest.MonkeyPatch, first: str, limit: int
) -> None:
    monkeypatch.setattr(follower_module, "LIMIT", limit)
    lab = Lab(dice(0), up=False)
    for of, body in STEPS:
        lab.live(of, body)
    lab.link(up=True)
    for of in (first, "log" if first == "outputs" else "outputs") * 400:
        lab.now += 1_000
        lab.ask(of)
        lab.store()
    assert (lab.rows(), lab.outputs()) == (LOG, OUTPUTS)
    assert all(item.proved for item in lab.items if isinstance(item, Said) and b'"blind":' in item.body)


def test_a_judge_that_went_away_does_not_keep_the_log_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower_module, "LIMIT", 5)
    lab = Lab(dice(0), up=False)
    for of, body in STEPS:
        lab.live(of, body)
    lab.link(up=True)
    for _ in range(8):
        lab.ask()
    lab.store()
    assert 0 < len(lab.outputs()) < len(OUTPUTS)
    for _ in range(100):
        lab.now += 1_000
        lab.ask("log")
        lab.store()
    assert lab.rows() == LOG


def test_a_reveal_of_another_card_is_not_proved() -> None:
    lab = Lab(dice(0))
    for of, body in STEPS:
        if of == "outputs" and b'"kind":"reveal"' in body:
            face = body.split(b'"face":"')[1].split(b'"')[0]
            forged = body.replace(b'"face":"' + face, b'"face":"AS' if face != b"AS" else b'"face":"KD')
            lab.live(of, forged)
            break
        lab.live(of, body)
    lab.settle()
    last = lab.items[-1]
    assert isinstance(last, Said)
    assert last.proved is False


def test_what_is_no_longer_kept_is_said_and_the_rest_is_read() -> None:
    lab = Lab(dice(0))
    for of, body in STEPS[:60]:
        lab.live(of, body)
    lab.settle()
    lab.link(up=False)
    for of, body in STEPS[60:]:
        lab.live(of, body)
    first = len(LOG) - 10
    lab.served.kept_from = (first, len(OUTPUTS) - 5)
    lab.settle()
    breaks = [item for item in lab.items if isinstance(item, Break)]
    assert {item.of for item in breaks} == {"log", "outputs"}
    assert "no longer kept" in breaks[0].reason
    assert lab.rows()[-10:] == LOG[-10:]
    assert lab.outputs()[-5:] == OUTPUTS[-5:]
    assert len(set(lab.rows())) == len(lab.rows())


def test_another_log_under_the_same_name_is_a_break_not_a_silence() -> None:
    elsewhere = Cursor(
        log=Head(at=Position(epoch="elsewhere", number=7), hash="7" * 64), output=3, output_hash="8" * 64,
        epochs=("elsewhere",),
    )  # fmt: skip
    lab = Lab(dice(0), cursor=elsewhere)
    for of, body in STEPS:
        lab.live(of, body)
    lab.settle()
    assert [item.of for item in lab.items if isinstance(item, Break)][:2] in (["log", "outputs"], ["outputs", "log"])
    assert lab.rows() == LOG
    assert lab.outputs() == OUTPUTS


def test_a_slow_consumer_holds_a_bounded_number_and_misses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower_module, "MAX_ITEMS", 30)
    monkeypatch.setattr(follower_module, "ROOM", 10)
    lab = Lab(dice(0))
    for of, body in STEPS:
        lab.live(of, body)
    assert len(lab.follower.items) <= 31
    lab.settle()
    assert (lab.rows(), lab.outputs()) == (LOG, OUTPUTS)


def test_one_that_starts_now_gets_what_comes_from_here_on() -> None:
    lab = Lab(dice(0))
    lab.follower = Follower(SOURCE, Cursor(), "now", lambda: next(lab.names))
    lab.follower.link(up=True)
    middle = 100
    for of, body in STEPS[:middle]:
        (lab.served.rows if of == "log" else lab.served.outputs).append(body)
    for of, body in STEPS[middle:]:
        lab.live(of, body)
    lab.settle()
    assert lab.rows() == [body for of, body in STEPS[middle:] if of == "log"]
    assert lab.outputs() == [body for of, body in STEPS[middle:] if of == "outputs"]


def test_a_cut_off_tail_shows_in_the_head_and_is_asked_for() -> None:
    lab = Lab(dice(0))
    for of, body in STEPS[:-6]:
        lab.live(of, body)
    lab.settle()
    lab.lost = 1.0
    for of, body in STEPS[-6:]:
        lab.live(of, body)
    lab.lost = 0.0
    assert not list(lab.follower.requests(lab.now))
    lab.follower.head(Head(at=Position(epoch=_epoch(LOG[-1]), number=len(LOG)), hash="0" * 64))
    lab.follower.outputs_reach(len(OUTPUTS))
    lab.now += 10_000
    lab.ask()
    lab.store()
    assert (lab.rows(), lab.outputs()) == (LOG, OUTPUTS)


def test_a_busy_desk_is_asked_again_and_an_old_answer_is_not_taken_for_a_new_one() -> None:
    lab = Lab(dice(0))
    first = next(iter(lab.follower.requests(0)))
    lab.follower.reply(ReplayReply(id="old", of=first.of, refused="not_ours"), 0)
    lab.follower.reply(ReplayReply(id=first.id, of=first.of, refused="busy"), 0)
    assert first.of not in [each.of for each in lab.follower.requests(10)]
    assert first.of in [each.of for each in lab.follower.requests(2_000)]
    assert not lab.follower.items


def test_junk_is_counted_and_passed_over() -> None:
    lab = Lab(dice(0))
    for junk in (b"", b"{}", LOG[0].replace(b"/silent/", b"/elsewhere/")):
        lab.follower.row(junk, 0)
    for of, body in STEPS:
        lab.live(of, body)
    lab.settle()
    for junk in (b"", b"{}", OUTPUTS[0].replace(b'"outputseq":1', b'"outputseq":-1')):
        lab.follower.output(junk, 0)
    assert lab.follower.garbage == 6
    assert (lab.rows(), lab.outputs()) == (LOG, OUTPUTS)


def test_a_row_and_an_output_of_a_later_minor_version_keep_their_place() -> None:
    row = LOG[-1].replace(b'"specversion"', b'"weather":"rain","specversion"')
    output = OUTPUTS[-1].replace(b'"data":{"kind":"', b'"data":{"kind":"more.')
    assert output != OUTPUTS[-1]
    lab = Lab(dice(0))
    for body in (*LOG[:-1], row):
        lab.live("log", body)
    for body in (*OUTPUTS[:-1], output):
        lab.live("outputs", body)
    lab.settle()
    later = next(item for item in reversed(lab.items) if isinstance(item, Row))
    said = next(item for item in reversed(lab.items) if isinstance(item, Said))
    assert (later.event, said.event) == (None, None)
    assert "weather" in later.reason
    assert (later.body, said.body) == (row, output)


def _epoch(body: bytes) -> str:
    return body.split(b'"epoch":"')[1].split(b'"')[0].decode()


@pytest.mark.parametrize("trusted", [(), (SIGNER.public,), ("0" * 64, SIGNER.public), ("0" * 64,)])
def test_an_epoch_that_no_known_key_signed_is_passed_over(trusted: tuple[str, ...]) -> None:
    known = not trusted or SIGNER.public in trusted
    follower = Follower(SOURCE, Cursor(), "oldest", lambda: "q1", signed_by(trusted, "silent", "cb-auto"))
    follower.link(up=True)
    [request] = [each for each in follower.requests(0) if each.of == "log"]
    served = Served(rows=LOG)
    found, reply = served.answer(request)
    for body in found:
        follower.row(body, 0, replayed=True)
    follower.reply(reply, 0)
    rows = [item for item in follower.items if isinstance(item, Row)]
    assert bool(rows) == known
    assert bool(follower.garbage) == (not known)


def test_a_key_of_another_table_signs_nothing_here() -> None:
    opening = decode(LogEvent, LOG[0])
    assert signed_by((SIGNER.public,), "silent", "cb-auto")(opening)
    assert not signed_by((SIGNER.public,), "silent", "another")(opening)
    assert not signed_by((SIGNER.public,), "silent", "cb-auto")(decode(LogEvent, LOG[1]))
