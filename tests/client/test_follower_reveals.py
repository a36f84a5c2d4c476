"""Every reveal finds its card and proves it, however far one chain is read ahead and after every restart."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwarden_client import follower as follower_module
from pitwarden_client.events.outputs import ReaderRevealed, Reveal
from pitwarden_client.items import OutputItem
from testkit.consumers.follower_network import LOG, OUTPUTS, STEPS, FollowerNetwork, dice


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**32), deaths=st.sampled_from([0.0, 0.05, 0.5]))
def test_every_reveal_finds_its_card_and_proves_it_also_after_a_restart(seed: int, deaths: float) -> None:
    chance = dice(seed)
    lab = FollowerNetwork(chance)
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
        if isinstance(item, OutputItem)
        and item.event is not None
        and isinstance(item.event.data, Reveal | ReaderRevealed)
    ]
    assert len(reveals) > 50
    assert all(item.proved and item.card is not None for item in reveals)


@pytest.mark.parametrize("first", ["log", "outputs"])
@pytest.mark.parametrize("limit", [7, 50, 500])
def test_reveals_find_their_cards_however_far_one_chain_is_read_ahead(
    monkeypatch: pytest.MonkeyPatch, first: str, limit: int
) -> None:
    monkeypatch.setattr(follower_module, "LIMIT", limit)
    lab = FollowerNetwork(dice(0), up=False)
    for of, body in STEPS:
        lab.live(of, body)
    lab.link(up=True)
    for of in (first, "log" if first == "outputs" else "outputs") * 400:
        lab.now += 1_000
        lab.ask(of)
        lab.store()
    assert (lab.rows(), lab.outputs()) == (LOG, OUTPUTS)
    reveals = [item for item in lab.items if isinstance(item, OutputItem) and b'"blind":' in item.body]
    assert reveals
    assert [item for item in reveals if not item.proved] == []


def test_a_reveal_of_another_card_is_not_proved() -> None:
    lab = FollowerNetwork(dice(0))
    for of, body in STEPS:
        if of == "outputs" and b'"kind":"reveal"' in body:
            face = body.split(b'"face":"')[1].split(b'"')[0]
            forged = body.replace(b'"face":"' + face, b'"face":"AS' if face != b"AS" else b'"face":"KD')
            lab.live(of, forged)
            break
        lab.live(of, body)
    lab.settle()
    last = lab.items[-1]
    assert isinstance(last, OutputItem)
    assert last.proved is False
