"""Table, lossy network and a consumer that dies, without a broker."""

import itertools
import random
from dataclasses import dataclass, field

from pitwarden_client.follower import Follower
from pitwarden_client.items import Cursor, Item, LogItem, OutputItem
from testkit.consumers.replay_server import MemoryReplayServer, evening


def dice(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  the order of events, not a secret


SOURCE = "/silent/cb-auto/"
STEPS = evening()
LOG = [body for of, body in STEPS if of == "log"]
OUTPUTS = [body for of, body in STEPS if of == "outputs"]


@dataclass
class FollowerNetwork:
    """Table, lossy network, and consumer that stores items with their cursor."""

    random: random.Random
    served: MemoryReplayServer = field(default_factory=MemoryReplayServer)
    items: list[Item] = field(default_factory=list)
    cursor: Cursor = field(default_factory=Cursor)
    now: int = 0
    lost: float = 0.0
    up: bool = True

    def __post_init__(self) -> None:
        self.names = (f"q{n}" for n in itertools.count())
        self.restart()

    def restart(self) -> None:
        """Restart the consumer: it loses all that it did not store."""
        self.follower = Follower(SOURCE, self.cursor, "oldest", lambda: next(self.names))
        self.follower.link(up=self.up)

    def link(self, *, up: bool) -> None:
        self.up = up
        self.follower.link(up=up)

    def live(self, of: str, body: bytes) -> None:
        (self.served.rows if of == "log" else self.served.outputs).append(body)
        if self.arrives():
            (self.follower.row if of == "log" else self.follower.output)(body, self.now)

    def arrives(self) -> bool:
        return self.up and self.random.random() >= self.lost

    def ask(self, only: str = "") -> None:
        for request in self.follower.requests(self.now) if self.up else ():
            if only and request.of != only:
                continue  # lost: the consumer requests it again
            bodies, reply = self.served.answer(request)
            for body in bodies:
                if self.arrives():
                    take = self.follower.row if request.of == "log" else self.follower.output
                    take(body, self.now, replayed=True)
            if self.arrives():
                self.follower.reply(reply, self.now)

    def store(self, most: int = 10_000) -> None:
        for _ in range(min(most, len(self.follower.items))):
            item = self.follower.items.popleft()
            self.items.append(item)
            self.cursor = item.cursor

    def settle(self) -> None:
        """Repair the network and let time pass until the consumer has every item."""
        self.lost = 0.0
        self.link(up=True)
        for _ in range(200):
            self.now += 1_000
            self.ask()
            self.store()
            if self.follower.caught_up and not self.follower.items:
                return
        raise AssertionError("it never caught up")

    def rows(self) -> list[bytes]:
        return [item.body for item in self.items if isinstance(item, LogItem)]

    def outputs(self) -> list[bytes]:
        return [item.body for item in self.items if isinstance(item, OutputItem)]
