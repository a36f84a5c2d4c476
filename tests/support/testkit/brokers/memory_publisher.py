"""Publisher that stores what is published."""

import asyncio


class MemoryPublisher:
    """Publisher into memory; each message is acknowledged at once."""

    def __init__(self) -> None:
        self.published: list[tuple[str, bytes, bool]] = []

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
        self.published.append((topic, payload, retain))
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        answer.set_result(None)
        return answer
