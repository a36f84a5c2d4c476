"""What the judge cannot open or verify it says so, and never guesses."""

import pytest

from pitwarden.seal.keys import SigningKey
from pitwarden.seal.sealing import Sealer
from pitwarden_client.events.device import ShoeCard
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.verification.signed_rows import SigningScope
from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.journals.sealed_rows import PRIVATE, SIGNER, SITE, sealed_night, unsealer


def a_card() -> LogEvent:
    return next(row.event for row in sealed_night() if isinstance(row.event.data, ShoeCard))


def opened(event: LogEvent) -> bool:
    """Whether a judge that has heard the night's key can read `event`."""
    judge = unsealer()
    for row in sealed_night()[:2]:
        assert not judge.entry(row.event).unreadable
    entry = judge.entry(event)
    assert entry.unreadable == (not entry.faces)
    return not entry.unreadable


def sealed_as(value: int) -> LogEvent:
    """Return a card whose seal is sound and holds `value`."""
    card = a_card()
    sealer = Sealer(SIGNER, SigningScope(SITE, TAB_SHIELDED.table, "e1"), "k1", [PRIVATE.public_key])
    return card.model_copy(update={"data": ShoeCard(face=sealer.seal(card.source, card.id, 0, value))})


def test_an_honest_card_opens() -> None:
    assert opened(a_card())


@pytest.mark.parametrize(
    "changed",
    [{"key": "k9"}, {"commitment": "0" * 64}, {"box": "AAAA"}, {"box": "not/base64="}],
)
def test_a_seal_that_was_touched_does_not(changed: dict[str, str]) -> None:
    card = a_card()
    assert isinstance(card.data, ShoeCard)
    face = card.data.face.model_copy(update=changed)
    assert not opened(card.model_copy(update={"data": ShoeCard(face=face)}))


@pytest.mark.parametrize("moved", [{"id": "e1/999"}, {"source": f"/{SITE}/other/shoe"}])
def test_a_seal_moved_to_another_row_does_not(moved: dict[str, str]) -> None:
    assert not opened(a_card().model_copy(update=moved))


def test_a_seal_under_another_key_does_not() -> None:
    assert not opened(sealed_as(3))


def test_an_epoch_or_key_signed_by_an_unknown_key_is_not_trusted() -> None:
    stranger = unsealer(trusted=SigningKey.generate().public)
    assert all(stranger.entry(row.event).unreadable for row in sealed_night()[:2])
    assert stranger.entry(a_card()).unreadable


def test_the_reader_gives_a_bit_and_no_face() -> None:
    judge = unsealer()
    entries = [judge.entry(row.event) for row in sealed_night(rounds=12)]
    answers = [entry for entry in entries if entry.data.kind == "reader.result"]
    assert answers
    assert all(entry.bit is not None and not entry.faces for entry in answers)
    assert not any(entry.unreadable for entry in entries)
