from dataclasses import replace
from pathlib import Path

import pytest

from pitwarden.bus.connection import Connection
from pitwarden_client.mqtt.errors import AccessRefusedError, LinkDownError
from testkit.brokers.clients import connection, settings
from testkit.brokers.mosquitto import MosquittoBroker

TLS = Path(__file__).parent / "tls"
CERT, KEY = TLS / "tests-only.crt", TLS / "tests-only.key"


@pytest.mark.broker
async def test_a_connection_over_tls_with_certificates_on_both_sides(tmp_path: Path) -> None:
    config = (
        "allow_anonymous true",
        f"certfile {CERT}",
        f"keyfile {KEY}",
        f"cafile {CERT}",
        "require_certificate true",
    )
    with MosquittoBroker(tmp_path / "b", config) as broker:
        us = replace(settings(broker.port), ca=CERT, cert=CERT, key=KEY)
        async with connection(us, "one", ("a",)) as (one, notes):
            for _ in range(300):
                one.send("a", b"x" * 2_000)
            await notes.until(lambda: len(notes.messages) == 300)
        for broken in (replace(us, cert=None, key=None), settings(broker.port)):
            stranger = Connection(broken, "two", lambda _: None)
            with pytest.raises(LinkDownError):
                await stranger.open()
            await stranger.dropped()


def test_bad_certificate_files_are_named_before_anything_is_sent(tmp_path: Path) -> None:
    us = replace(settings(1), ca=CERT)
    assert settings(1).tls() is None
    assert us.tls() is not None
    junk = tmp_path / "junk"
    junk.write_text("no certificate")
    for broken in (replace(us, ca=tmp_path / "missing"), replace(us, ca=junk), replace(us, cert=CERT, key=junk)):
        with pytest.raises(AccessRefusedError, match=r"TLS for 127\.0\.0\.1:1 cannot be set up"):
            broken.tls()


def test_the_password_is_what_the_file_holds_now(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    us = replace(settings(1), username="field", password_file=secret)
    for held, password in (("one\n", "one"), ("two", "two"), ("\ufeffthree\n", "three")):
        secret.write_text(held)
        assert us.password() == password
    secret.write_bytes(b"\xff")
    with pytest.raises(AccessRefusedError, match=str(secret)):
        us.password()
    assert settings(1).password() is None
