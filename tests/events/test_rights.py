"""The shipped ACL for halves that run apart gives each login what its half says and hears, and a doctor's questions."""

from pathlib import Path

import pytest

from pitwarden_client.events.topics import Half, Topics, publish_topics, subscribe_filters

ACL = Path(__file__).parents[2] / "config" / "mosquitto" / "pitwarden-apart.acl"
TABLE = Topics("harbor", "ta01")
ASKED = {
    "field": {f"{TABLE.root}/status/+", TABLE.device_statuses, "$SYS/broker/connection/+/state"},
    "judge": {f"{TABLE.root}/status/+", "$SYS/broker/connection/+/state", TABLE.state, TABLE.command_replies},
}


def granted(login: str) -> dict[str, list[str]]:
    """Return the rights that the ACL grants `login`, by `read` and `write`."""
    found: dict[str, list[str]] = {"read": [], "write": []}
    user = ""
    for line in ACL.read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "user":
            user = rest
        elif word == "topic" and user == login:
            right, _, topic = rest.partition(" ")
            found[right].append(topic)
        else:
            assert word in {"", "#"} or user != login, line
    return found


@pytest.mark.parametrize("half", ["field", "judge"])
def test_a_half_has_the_least_right(half: Half) -> None:
    found = granted(f"ta01-{half}")
    assert sorted(found["write"]) == sorted(publish_topics(TABLE, half, "judge"))
    assert sorted(found["read"]) == sorted({*subscribe_filters(TABLE, half), *ASKED[half]})


def test_one_table_has_two_logins_and_there_are_no_others() -> None:
    users = [line for line in ACL.read_text().splitlines() if not line.startswith(("#", "topic ")) and line]
    assert users == ["user ta01-field", "user ta01-judge"]


def test_the_halves_share_the_end_of_a_replay_and_nothing_else() -> None:
    both = set(publish_topics(TABLE, "field", "judge")) & set(publish_topics(TABLE, "judge", "judge"))
    assert both == {TABLE.replay_replies}
