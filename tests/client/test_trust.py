"""An epoch is believed when a known key of the field half signed its opening."""

import pytest

from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.follower import Follower
from pitwarden_client.items import Cursor, LogItem
from pitwarden_client.log_reader import trust_signed_by
from pitwarden_tools.simulation.halves import SIGNER
from testkit.consumers.follower_network import LOG, SOURCE
from testkit.consumers.replay_server import MemoryReplayServer


@pytest.mark.parametrize("trusted", [(), (SIGNER.public,), ("0" * 64, SIGNER.public), ("0" * 64,)])
def test_an_epoch_that_no_known_key_signed_is_passed_over(trusted: tuple[str, ...]) -> None:
    known = not trusted or SIGNER.public in trusted
    follower = Follower(SOURCE, Cursor(), "oldest", lambda: "q1", trust_signed_by(trusted, "silent", "cb-auto"))
    follower.link(up=True)
    [request] = [each for each in follower.requests(0) if each.of == "log"]
    served = MemoryReplayServer(rows=LOG)
    found, reply = served.answer(request)
    for body in found:
        follower.row(body, 0, replayed=True)
    follower.reply(reply, 0)
    rows = [item for item in follower.items if isinstance(item, LogItem)]
    assert bool(rows) == known
    assert bool(follower.garbage) == (not known)


def test_a_key_of_another_table_signs_nothing_here() -> None:
    opening = decode(LogEvent, LOG[0])
    assert trust_signed_by((SIGNER.public,), "silent", "cb-auto")(opening)
    assert not trust_signed_by((SIGNER.public,), "silent", "another")(opening)
    assert not trust_signed_by((SIGNER.public,), "silent", "cb-auto")(decode(LogEvent, LOG[1]))
