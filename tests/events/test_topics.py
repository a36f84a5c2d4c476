"""Topics: one module builds and parses them; nothing from outside gets in unchecked."""

import pytest

from pitwarden_client.events.topics import Topics, checked

T = Topics("harbor", "ta01")


@pytest.mark.parametrize("ident", ["", "a/b", "+", "#", "S/N#1+", "../x", "$SYS", "x" * 65, "é", "a\n"])
def test_what_may_not_stand_in_a_topic_is_refused(ident: str) -> None:
    with pytest.raises(ValueError, match="identifier"):
        checked(ident)
    with pytest.raises(ValueError, match="identifier"):
        Topics(ident, "t")


def test_an_input_topic_gives_its_role_and_terminal() -> None:
    assert T.role_and_terminal(T.input("floor", "pad1")) == ("floor", "pad1")


@pytest.mark.parametrize(
    "topic",
    [
        "pitwarden/v1/other/ta01/inputs/floor/pad1",
        "pitwarden/v1/harbor/ta01/inputs/floor/pad1/replies",
        "pitwarden/v1/harbor/ta01/inputs/boss/pad1",
        "pitwarden/v1/harbor/ta01/inputs/floor/",
    ],
)
def test_other_topics_are_no_inputs(topic: str) -> None:
    assert T.role_and_terminal(topic) is None


def test_every_topic_stands_under_its_table() -> None:
    topics = [
        T.event("shoe", "shoe.card"), T.events, T.inputs, T.reply("dealer", "k"), T.state, T.irregularities, T.reveals,
        T.status("field"), T.head, T.device_status("shoe"), T.device_statuses, T.command("shoe"), T.position("judge"),
        T.command_reply("shoe"), T.commands,
        T.replay("pit", "log"), T.replay("pit", "outputs"), T.replay_request("pit"), T.replay_reply("pit"),
        T.positions, T.replay_requests,
    ]  # fmt: skip
    assert all(topic.startswith("pitwarden/v1/harbor/ta01/") for topic in topics)
    assert len(set(topics)) == len(topics)
    assert T.event("shoe", "shoe.card").endswith("/events/shoe/shoe_card")


def test_a_position_or_a_request_gives_its_consumer() -> None:
    assert T.consumer(T.position("pit")) == "pit"
    assert T.consumer(T.replay_request("pit")) == "pit"
    for other in (T.replay_reply("pit"), T.state, f"{T.root}/positions/a+b", "pitwarden/v1/x/y/positions/pit"):
        assert T.consumer(other) is None


def test_a_command_gives_its_device() -> None:
    assert T.commanded(T.command("shoe")) == "shoe"
    for other in (T.command_reply("shoe"), f"{T.root}/commands/a+b", "pitwarden/v1/x/y/commands/shoe", T.state):
        assert T.commanded(other) is None


def test_a_status_gives_its_device() -> None:
    assert T.device_of_status(T.device_status("shoe")) == "shoe"
    others = (T.status("field"), f"{T.root}/devices/{'x' * 65}/status", f"{T.root}/devices/a b/status",
              f"{T.root}/devices//status", "pitwarden/v1/x/y/devices/shoe/status")  # fmt: skip
    for other in others:
        assert T.device_of_status(other) is None
