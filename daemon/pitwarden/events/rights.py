"""What each half of a table says and hears on the bus, as filters: the least right of its login at the broker.

The halves subscribe by it, the doctor tries it, and the shipped ACL for halves with a login each is held to it.
"""

from typing import Final, Literal

from pitwarden.events.topics import Topics

Half = Literal["field", "judge"]
HALVES: Final[tuple[Half, Half]] = ("field", "judge")


def says(topics: Topics, half: Half, judge: str) -> tuple[str, ...]:
    """Where `half` publishes; `judge` is the name under which the judge stores positions."""
    own: dict[Half, tuple[str, ...]] = {
        "field": (
            topics.events, topics.replies, topics.head, topics.device_statuses, topics.command_replies,
            topics.replays("log"),
        ),
        "judge": (
            topics.state, topics.irregularities, topics.reveals, topics.position(judge), topics.commands,
            topics.replays("outputs"),
        ),
    }  # fmt: skip
    return (*own[half], topics.status(half), topics.replay_replies)


def hears(topics: Topics, half: Half) -> tuple[str, ...]:
    """What `half` subscribes to, beside its own status."""
    own: dict[Half, tuple[str, ...]] = {
        "field": (topics.positions, topics.inputs, topics.state, topics.commands),
        "judge": (topics.events,),
    }
    return (*own[half], topics.head, topics.replay_requests)
