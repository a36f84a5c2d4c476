"""Whatever a network and a consumer's own deaths do: each row and output once, and in order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwarden_client import follower as follower_module
from pitwarden_client.events.base import Position
from pitwarden_client.events.status import ReplayReply
from pitwarden_client.events.table import Head
from pitwarden_client.follower import Follower
from pitwarden_client.items import ChainBreak, Cursor, LogItem, OutputItem
from pitwarden_client.merge import ANSWER_MS
from testkit.consumers.follower_network import LOG, OUTPUTS, SOURCE, STEPS, FollowerNetwork, dice


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), lost=st.sampled_from([0.0, 0.05, 0.4]), deaths=st.sampled_from([0.0, 0.02, 0.2]))
def test_each_row_and_output_once_and_in_order(seed: int, lost: float, deaths: float) -> None:
    chance = dice(seed)
    lab = FollowerNetwork(chance, lost=lost)
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
    assert not any(isinstance(item, ChainBreak) for item in lab.items)
    seen: set[tuple[str, int]] = set()
    for item in lab.items:
        if isinstance(item, LogItem):
            seen.add((item.at.epoch, item.at.number))
        elif isinstance(item, OutputItem):
            assert item.event is not None
            assert (item.event.epoch, item.event.tableseq) in seen, "an output came before its row"


def test_a_judge_that_went_away_does_not_keep_the_log_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower_module, "LIMIT", 5)
    lab = FollowerNetwork(dice(0), up=False)
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


def test_outputs_that_were_read_while_the_log_was_away_do_not_keep_it_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("MAX_ITEMS", 30), ("ROOM", 10), ("LIMIT", 5)):
        monkeypatch.setattr(follower_module, name, value)
    lab = FollowerNetwork(dice(0), up=False)
    for of, body in STEPS:
        lab.live(of, body)
    lab.link(up=True)
    for _ in range(40):
        lab.now += 1_000
        lab.ask("outputs")
        lab.store()
    assert (lab.rows(), lab.outputs()) == ([], [])
    lab.settle()
    assert (lab.rows(), lab.outputs()) == (LOG, OUTPUTS)


def test_a_slow_consumer_holds_a_bounded_number_and_misses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower_module, "MAX_ITEMS", 30)
    monkeypatch.setattr(follower_module, "ROOM", 10)
    lab = FollowerNetwork(dice(0))
    for of, body in STEPS:
        lab.live(of, body)
    assert len(lab.follower.items) <= 31
    lab.settle()
    assert (lab.rows(), lab.outputs()) == (LOG, OUTPUTS)


def test_one_that_starts_now_gets_what_comes_from_here_on() -> None:
    lab = FollowerNetwork(dice(0))
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
    lab = FollowerNetwork(dice(0))
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


def test_a_busy_replay_is_requested_again_and_an_old_reply_is_ignored() -> None:
    lab = FollowerNetwork(dice(0))
    first = next(iter(lab.follower.requests(0)))
    lab.follower.reply(ReplayReply(id="old", of=first.of, refused="not_ours"), 0)
    lab.follower.reply(ReplayReply(id=first.id, of=first.of, refused="busy"), 0)
    assert first.of not in [each.of for each in lab.follower.requests(10)]
    assert first.of in [each.of for each in lab.follower.requests(2_000)]
    assert not lab.follower.items


def test_a_request_without_a_reply_is_known_until_one_comes() -> None:
    """The broker refuses it, or the table is off."""
    lab = FollowerNetwork(dice(0))
    seen = []
    for now in (0, ANSWER_MS):
        asked = list(lab.follower.requests(now))
        seen.append(lab.follower.unanswered)
    for each in asked:
        lab.follower.reply(ReplayReply(id=each.id, of=each.of, refused="busy"), ANSWER_MS)
    assert [*seen, lab.follower.unanswered] == [False, True, False]


def _epoch(body: bytes) -> str:
    return body.split(b'"epoch":"')[1].split(b'"')[0].decode()
