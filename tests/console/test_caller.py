"""The caller's process: calls reach a service, a refusal comes back, and a console that dies is noticed without it."""

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from pitwarden_console.alarms.caller_link import NOT_CONNECTED, CallerLink
from pitwarden_console.caller.command import main
from pitwarden_console.caller.sending import Sender
from pitwarden_console.caller.service import CallerService
from pitwarden_console.caller.settings import load_caller
from pitwarden_console.errors import ConsoleSettingsError


class Service:
    """An HTTP service that takes calls as JSON, or refuses them."""

    def __init__(self) -> None:
        self.status = "200 OK"
        self.taken: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        self.port = 0

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-le")
        )
        self.taken.put_nowait(json.loads(await reader.readexactly(length)))
        writer.write(f"HTTP/1.1 {self.status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()


@asynccontextmanager
async def service() -> AsyncIterator[Service]:
    made = Service()
    server = await asyncio.start_server(made.answer, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    async with server:
        yield made


@asynccontextmanager
async def running(*coroutines: Coroutine[None, None, None]) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(each) for each in coroutines]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def caller_file(folder: Path, port: int, mode: int = 0o640, silent: str = "manager") -> Path:
    file = folder / "caller.toml"
    file.write_text(
        f'socket = "caller.sock"\nsilent = ["{silent}"]\n'
        f'[[recipient]]\nname = "manager"\nurls = ["json://127.0.0.1:{port}/hook"]\n'
    )
    file.chmod(mode)
    return file


async def connected(link: CallerLink) -> None:
    while await link.call("nobody", "t", "b") == NOT_CONNECTED:  # noqa: ASYNC110  another task connects
        await asyncio.sleep(0.01)


async def test_a_call_reaches_the_service_and_its_answer_comes_back(tmp_path: Path) -> None:
    async with service() as taking:
        file, socket = load_caller(caller_file(tmp_path, taking.port))
        link = CallerLink(socket)
        assert await link.call("manager", "t", "b") == NOT_CONNECTED
        caller = CallerService(socket, Sender(file.urls()), file.silent)
        async with running(caller.run(), link.run()):
            await connected(link)
            assert await link.call("manager", "Priority 1", "TAB-37 at BJ-04") == ""
            taken = await taking.taken.get()
            assert (taken["title"], taken["message"]) == ("Priority 1", "TAB-37 at BJ-04")
            assert await link.call("stranger", "t", "b") == "no such recipient is in the caller's file"
            taking.status = "500 No"
            assert await link.call("manager", "t", "b") == "the service did not take it"
            assert socket.stat().st_mode & 0o007 == 0, "only the console's group may connect"


async def test_a_console_that_falls_silent_is_called_out_once_and_back_again(tmp_path: Path) -> None:
    async with service() as taking:
        file, socket = load_caller(caller_file(tmp_path, taking.port))
        caller = CallerService(socket, Sender(file.urls()), file.silent, silence_s=0.3)
        async with running(caller.run()):
            async with running((link := CallerLink(socket)).run()):
                await connected(link)
            assert (await taking.taken.get())["message"] == "The pit console does not answer."
            async with running((again := CallerLink(socket)).run()):
                await connected(again)
                assert (await taking.taken.get())["message"] == "The pit console answers again."


async def test_garbage_on_the_socket_ends_that_connection_alone(tmp_path: Path) -> None:
    async with service() as taking:
        file, socket = load_caller(caller_file(tmp_path, taking.port))
        link = CallerLink(socket)
        async with running(CallerService(socket, Sender(file.urls()), file.silent).run(), link.run()):
            await connected(link)
            reader, writer = await asyncio.open_unix_connection(socket)
            writer.write(b"[]\nnot json\n")
            with suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()
            assert await link.call("manager", "t", "b") == ""


@pytest.mark.parametrize(
    ("mode", "silent", "words"),
    [(0o644, "manager", "can be read by others"), (0o640, "another", "another is no recipient")],
)
def test_a_file_with_a_fault_is_refused_with_78(
    tmp_path: Path, mode: int, silent: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = caller_file(tmp_path, 1, mode, silent)
    with pytest.raises(ConsoleSettingsError, match=words):
        load_caller(file)
    assert main(["--config", str(file)]) == 78
    assert words in capsys.readouterr().err


def test_an_unknown_service_is_refused_without_its_secret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = caller_file(tmp_path, 1)
    file.write_text(file.read_text().replace("json://127.0.0.1:1/hook", "nosuch://secret-token"))
    assert main(["--config", str(file)]) == 78
    said = capsys.readouterr().err
    assert "recipient.manager.urls" in said
    assert "secret-token" not in said


def test_a_test_call_that_fails_ends_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--config", str(caller_file(tmp_path, 1)), "--test", "manager"]) == 1
    assert "the service did not take it" in capsys.readouterr().err
