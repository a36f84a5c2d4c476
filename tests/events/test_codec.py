"""The codec refuses whatever two readers may understand differently, and everything else round-trips."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden_client.events.codec import MAX_BYTES, BadPayloadError, decode, digest, encode
from pitwarden_client.events.dealer_cards import KpHands
from pitwarden_client.events.envelope import GENESIS, LogEvent, parse_rfc3339, rfc3339
from pitwarden_client.events.inputs import InputLogged, TerminalInput


def row(**changed: object) -> LogEvent:
    data = InputLogged(role="dealer", terminal="t1", person="p1", input_id="i1", as_of=None, act=KpHands(counts=(7, 7)))
    fields = {
        "id": "e1/1", "source": "/s/t/t1", "type": "pitwarden.input", "time": rfc3339(1_700_000_000_123), "epoch": "e1",
        "prevhash": GENESIS, "simulated": True, "tableseq": 1, "logms": 5, "clocksync": True, "clockerror": 1,
        "data": data,
    }  # fmt: skip
    return LogEvent.model_validate(fields | changed)


def test_a_row_comes_back_as_it_was() -> None:
    assert decode(LogEvent, encode(row())) == row()


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b'{"id":NaN}', "not whole"),
        (b'{"id":1e999}', "not whole"),
        (b'{"id":-Infinity}', "not whole"),
        (b'{"id":' + b"9" * 4_400 + b"}", "digits"),
        (b'{"id":' + b"9" * 4_000 + b"}", "digits"),
        (b"[" * 60_000, "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b'{"half":', "not JSON"),
        (b'"' + b"x" * 1_000_000 + b'"', "bytes"),
        (b'{"id":"a","id":"b"}', "twice"),
        (b"[]", "not a TerminalInput"),
    ],
)
def test_hostile_payloads_are_refused_with_the_reason(payload: bytes, reason: str) -> None:
    with pytest.raises(BadPayloadError, match=reason):
        decode(TerminalInput, payload)


def test_another_writer_may_space_as_it_likes_and_may_not_say_a_key_twice() -> None:
    """Such bytes are not what we would write, but no two readers differ over the first."""
    payload = encode(row())
    assert decode(LogEvent, payload.replace(b'"logms":5', b' "logms" : 5 ')) == row()
    with pytest.raises(BadPayloadError, match="twice"):
        decode(LogEvent, payload.replace(b'"logms":5', b'"logms":4,"logms":5'))


def test_a_refusal_names_the_place_and_never_the_value() -> None:
    payload = encode(row()).replace(b'"logms":5', b'"logms":"secret-value"')
    with pytest.raises(BadPayloadError, match="logms") as refused:
        decode(LogEvent, payload)
    assert "secret-value" not in str(refused.value)


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_else(payload: bytes) -> None:
    with pytest.raises(BadPayloadError):
        decode(LogEvent, payload)


def test_the_size_limit_is_exact() -> None:
    with pytest.raises(BadPayloadError, match="not JSON"):
        decode(LogEvent, b"x" * MAX_BYTES)
    with pytest.raises(BadPayloadError, match="at most"):
        decode(LogEvent, b"x" * (MAX_BYTES + 1))


def test_unknown_and_coerced_fields_are_refused() -> None:
    for changed in (b'"simulated":1', b'"simulated":true,"extra":1'):
        with pytest.raises(BadPayloadError):
            decode(LogEvent, encode(row()).replace(b'"simulated":true', changed))


@given(st.integers(min_value=0, max_value=4_102_444_800_000))
def test_time_round_trips_to_the_millisecond(utc_ms: int) -> None:
    assert parse_rfc3339(rfc3339(utc_ms)) == utc_ms


def test_digest_is_sha256_in_hex() -> None:
    assert digest(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
