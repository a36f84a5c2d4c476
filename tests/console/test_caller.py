"""The caller's process: calls reach a service, a refusal comes back, and a console that dies is noticed without it."""

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from pitwarden_client.events.codec import encode
from pitwarden_console.alarms.caller_link import NOT_CONNECTED, CallerLink
from pitwarden_console.caller.command import main
from pitwarden_console.caller.sending import Sender
from pitwarden_console.caller.service import RETRY_MS, CallerService
from pitwarden_console.caller.settings import load_caller
from pitwarden_console.caller.wire import MAX_LINE, SILENCE_S, answer_line, call_line
from pitwarden_console.errors import ConsoleSettingsError
from testkit.pages.stored_tables import SteppedClock

SILENCE_MS = int(SILENCE_S * 1_000)


@pytest.fixture(autouse=True)
def checks_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the checks of the beats to the tests, which step the clock between them."""
    monkeypatch.setattr("pitwarden_console.caller.service._CHECK_S", 3_600.0)


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
        caller = CallerService(socket, Sender(file.urls()), file.silent, SteppedClock())
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
        clock = SteppedClock()
        caller = CallerService(socket, Sender(file.urls()), file.silent, clock)
        async with running(caller.run()):
            clock.step(SILENCE_MS)
            await caller.check()  # a console that was never there is not missed
            async with running((link := CallerLink(socket)).run()):
                await connected(link)
            clock.step(SILENCE_MS - 1)
            await caller.check()
            assert taking.taken.empty()
            for _ in range(2):
                clock.step(1)
                await caller.check()
            assert (await taking.taken.get())["message"] == "The pit console does not answer."
            assert taking.taken.empty()
            async with running((again := CallerLink(socket)).run()):
                await connected(again)
                for _ in range(2):
                    await caller.check()
            assert (await taking.taken.get())["message"] == "The pit console answers again."
            assert taking.taken.empty()


async def test_who_cannot_be_called_about_a_silent_console_is_called_again_until_he_can(tmp_path: Path) -> None:
    async with service() as taking:
        taking.status = "500 No"
        file, socket = load_caller(caller_file(tmp_path, taking.port))
        clock = SteppedClock()
        caller = CallerService(socket, Sender(file.urls()), file.silent, clock)
        async with running(caller.run()):
            async with running((link := CallerLink(socket)).run()):
                await connected(link)
            clock.step(SILENCE_MS)
            for status in ("500 No", "500 No", "200 OK", "200 OK"):
                taking.status = status
                for _ in range(2):  # the second time none is due
                    await caller.check()
                clock.step(RETRY_MS[1])
            said = [taking.taken.get_nowait()["message"] for _ in range(taking.taken.qsize())]
            assert said == ["The pit console does not answer."] * 3
            async with running((again := CallerLink(socket)).run()):
                await connected(again)
                await caller.check()
            assert (await taking.taken.get())["message"] == "The pit console answers again."


HOSTILE = [
    b"x" * 20_000 + b"\n", b"[" * 8_000 + b"\n", b"[]\n", b"not json\n", b"\xff\xfe\n", b'"id"\n',
    b'{"call":{"id":"1","to":[],"title":1,"text":null}}\n', b'{"answer":{"id":[],"reason":"x"}}\n',
]  # fmt: skip


@pytest.mark.parametrize("sent", HOSTILE, ids=lambda sent: repr(sent[:12]))
async def test_hostile_bytes_end_a_connection_and_not_the_link(tmp_path: Path, sent: bytes) -> None:
    """Whatever sits at the socket, the console's task lives, and reaches the caller once it is there."""
    socket = tmp_path / "caller.sock"
    met = asyncio.Event()

    async def hostile(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            writer.write(sent)
            await writer.drain()
        writer.close()
        met.set()

    link = CallerLink(socket, retry=QuickRetry())
    server = await asyncio.start_unix_server(hostile, socket)
    async with running(link.run()):
        async with server:
            await met.wait()
        async with service() as taking:
            file, socket = load_caller(caller_file(tmp_path, taking.port))
            async with running(CallerService(socket, Sender(file.urls()), file.silent, SteppedClock()).run()):
                await connected(link)
                reader, writer = await asyncio.open_unix_connection(socket)
                writer.write(sent)
                with suppress(ConnectionError):
                    assert await reader.read() == b"", "and the caller ends that connection alone"
                writer.close()
                assert await link.call("manager", "t", "b") == ""


class QuickRetry:
    """Retry policy of a test, which counts the attempts that failed and those that succeeded."""

    def __init__(self) -> None:
        self.failures = self.successes = 0

    def after_failure(self) -> float:
        self.failures += 1
        return 0.01

    def after_refusal(self) -> float:
        raise NotImplementedError

    def succeeded(self) -> None:
        self.successes += 1


async def test_the_link_backs_off_until_a_caller_answers(tmp_path: Path) -> None:
    """A process that accepts and says nothing is no caller: the policy starts again only after a line of the format."""
    socket, retry = tmp_path / "caller.sock", QuickRetry()

    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            await reader.read()
        writer.close()

    link = CallerLink(socket, retry=retry, silence_s=0.05)
    async with await asyncio.start_unix_server(mute, socket), running(link.run()):
        while retry.failures < 3:
            assert await link.call("manager", "t", "b") == NOT_CONNECTED
            await asyncio.sleep(0.01)
    assert retry.successes == 0
    async with service() as taking:
        file, socket = load_caller(caller_file(tmp_path, taking.port))
        async with running(CallerService(socket, Sender(file.urls()), file.silent, SteppedClock()).run(), link.run()):
            await connected(link)
    assert retry.successes > 0


def test_a_call_at_its_limits_fits_a_line() -> None:
    for character in ("x", "\U0001f0cf", "\x01", '"'):
        line = encode(call_line(2**53, "p" * 64, character * 5_000, character * 5_000))
        assert len(line) < MAX_LINE, repr(character)
        assert len(encode(answer_line(1, character * 5_000))) < MAX_LINE


async def test_garbage_on_the_socket_ends_that_connection_alone(tmp_path: Path) -> None:
    async with service() as taking:
        file, socket = load_caller(caller_file(tmp_path, taking.port))
        link = CallerLink(socket)
        async with running(CallerService(socket, Sender(file.urls()), file.silent, SteppedClock()).run(), link.run()):
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
