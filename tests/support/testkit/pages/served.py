"""An application served to a browser from the loop of the test, with the clock and the tables that the test sets."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp

from pitwarden_simulators.ports.free import FreePort


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncIterator[str]:
    """Yield the address of `app`."""
    free = FreePort()
    config = uvicorn.Config(
        app, host="127.0.0.1", port=free.number, lifespan="off", log_config=None, access_log=False,
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    server = _Server(config)
    running = asyncio.create_task(server.serve(), name="served application")
    try:
        while not server.started:  # noqa: ASYNC110  another task of the library sets it
            await asyncio.sleep(0.01)
        yield f"http://127.0.0.1:{free.number}"
    finally:
        server.should_exit = True
        await running
