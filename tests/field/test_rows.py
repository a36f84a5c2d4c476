"""Rows: gapless numbers, one chain, log time that never runs back, secrets only in seals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden.field.log.row_builder import LogIdentity, PendingRow, RowBuilder
from pitwarden.seal.keys import PrivateKey, SigningKey
from pitwarden.seal.sealing import Opener, Sealer
from pitwarden_client.events.card_faces import FACES
from pitwarden_client.events.codec import decode, digest
from pitwarden_client.events.device import ShoeCut
from pitwarden_client.events.envelope import GENESIS, LogEvent
from pitwarden_client.verification.signed_rows import SigningScope
from pitwarden_drivers.api import PlainAnswer, PlainCard, PlainStack, Said, Secret
from testkit.clocks.fake_clock import FakeClock

PLACE = LogIdentity("harbor", "ta01", simulated=True)
SIGNER = SigningKey.generate()
JUDGE = PrivateKey.generate()


def builder(clock: FakeClock) -> RowBuilder:
    made = RowBuilder(PLACE, "e1", clock, log_ms=500)
    made.sealer = Sealer(SIGNER, SigningScope("harbor", "ta01", "e1"), "k1", [JUDGE.public_key])
    return made


@given(st.lists(st.integers(min_value=-5_000, max_value=5_000), min_size=1, max_size=30))
def test_numbers_chain_and_log_time(steps: list[int]) -> None:
    clock = FakeClock()
    rows = builder(clock)
    prevhash, log_ms = GENESIS, 0
    for number, step in enumerate(steps, 1):
        clock.mono += step  # a test may turn even the monotonic clock back
        built = rows.build(PendingRow("shoe", ShoeCut(), boot=3, counter=number))
        assert (built.event.tableseq, built.event.id) == (number, f"e1/{number}")
        assert built.event.prevhash == prevhash
        assert built.stored.hash == digest(built.stored.body)
        assert decode(LogEvent, built.stored.body) == built.event
        assert built.event.logms >= log_ms
        prevhash, log_ms = built.stored.hash, built.event.logms


@given(
    st.one_of(
        st.sampled_from(sorted(FACES)).map(lambda face: PlainCard(Secret(face), up=True, back="red")),
        st.lists(st.sampled_from(sorted(FACES)), max_size=7).map(
            lambda faces: PlainStack(len(faces), tuple(map(Secret, faces)))
        ),
        st.booleans().map(lambda bit: PlainAnswer(Secret(int(bit)))),
    )
)
def test_secrets_come_out_for_the_judge_alone(said: Said) -> None:
    rows = builder(FakeClock())
    assert rows.sealer is not None
    built = rows.build(PendingRow("shoe", said))
    opener = Opener([JUDGE], [SIGNER.public], "harbor", "ta01")
    opener.add_key("e1", rows.sealer.announcement)
    data = built.event.data
    if isinstance(said, PlainCard):
        assert data.kind == "shoe.card"
        seals, secrets = [data.face], [said.face]
    elif isinstance(said, PlainStack):
        assert data.kind == "shoe.stack"
        seals, secrets = list(data.faces), list(said.faces)
    else:
        assert isinstance(said, PlainAnswer)
        assert data.kind == "reader.result"
        seals, secrets = [data.answer], [said.bit]
    opened = [opener.open(built.event.source, built.event.id, index, seal).value for index, seal in enumerate(seals)]
    assert opened == [secret.value for secret in secrets]


def test_equal_secrets_give_rows_of_equal_length_and_no_equal_seal() -> None:
    rows = builder(FakeClock())
    built = [rows.build(PendingRow("shoe", PlainCard(Secret(face)))) for face in (0, 0, 51)]
    assert len({len(row.stored.body) for row in built}) == 1
    assert len({row.stored.body for row in built}) == 3


def test_a_secret_before_the_key_is_never_logged() -> None:
    rows = RowBuilder(PLACE, "e1", FakeClock(), log_ms=0)
    with pytest.raises(RuntimeError, match="before the epoch's key"):
        rows.build(PendingRow("shoe", PlainCard(Secret(7))))


def test_no_repr_shows_a_secret() -> None:
    assert repr(PlainCard(Secret(37))) == "PlainCard(face=Secret(), up=None, back=None)"
    assert repr(PlainAnswer(Secret(1))) == "PlainAnswer(bit=Secret())"
    assert "Secret" not in repr(PendingRow("shoe", PlainCard(Secret(37))))
