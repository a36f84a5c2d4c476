"""Advisories: what the database answers is reported, what was accepted is not, and silence is not good news."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from pitwarden_simulators.ports.free import FreePort
from pitwarden_tools.__main__ import main
from pitwarden_tools.advisories import LOCK, NOT_CHECKED, LockedPackage, locked_packages

LOCKED = "attrs==25.1.0 \\\n    --hash=sha256:00\njinja2==2.11.1 ; python_version > '3' \\\n    --hash=sha256:11\n"


@contextmanager
def database(answer: bytes) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """Yield the address of a database that answers so, and what it was asked."""
    asked: list[dict[str, object]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append({"path": self.path, **json.loads(self.rfile.read(int(self.headers["Content-Length"])))})
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  as above
            """Print nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    file = tmp_path / "requirements.lock"
    file.write_text(LOCKED)
    return file


VULNERABLE = json.dumps({"results": [{}, {"vulns": [{"id": "GHSA-1"}, {"id": "PYSEC-2"}]}]}).encode()


def test_the_pins_of_a_lock_are_read() -> None:
    assert locked_packages(LOCKED) == (LockedPackage("attrs", "25.1.0"), LockedPackage("jinja2", "2.11.1"))
    ours = locked_packages(LOCK.read_text())
    assert len(ours) > 50
    assert {"aiomqtt", "pynacl", "pydantic"} <= {one.name for one in ours}


def test_each_advisory_is_reported_with_its_package(lock: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with database(VULNERABLE) as (source, asked):
        assert main(["advisories", "--lock", str(lock), "--source", source]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "jinja2 2.11.1: GHSA-1, PYSEC-2"
    assert said[1].startswith("2 packages checked against ")
    assert asked == [
        {
            "path": "/v1/querybatch",
            "queries": [
                {"package": {"name": "attrs", "ecosystem": "PyPI"}, "version": "25.1.0"},
                {"package": {"name": "jinja2", "ecosystem": "PyPI"}, "version": "2.11.1"},
            ],
        }
    ]


def test_what_was_read_and_accepted_does_not_count(lock: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["advisories", "--lock", str(lock), "--accept", "GHSA-1", "--accept", "PYSEC-2", "--source"]
    with database(VULNERABLE) as (source, _):
        assert main([*words, source]) == 0
    assert "0 advisories" in capsys.readouterr().out


@pytest.mark.parametrize("answer", [b"", b"[]", b"{}", b'{"results": [{}]}', b"<html>"])
def test_an_answer_that_is_none_is_not_good_news(lock: Path, answer: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    with database(answer) as (source, _):
        assert main(["advisories", "--lock", str(lock), "--source", source]) == NOT_CHECKED
    assert capsys.readouterr().err.startswith("NOT CHECKED: ")


@pytest.mark.parametrize("source", ["file:///etc/passwd", "nowhere"])
def test_only_the_web_is_asked(lock: Path, source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advisories", "--lock", str(lock), "--source", source]) == NOT_CHECKED
    assert "is not a web address" in capsys.readouterr().err


def test_a_database_out_of_reach_is_named(lock: Path, capsys: pytest.CaptureFixture[str]) -> None:
    free = FreePort()  # no one else can listen there meanwhile
    source = f"http://127.0.0.1:{free.number}"
    assert main(["advisories", "--lock", str(lock), "--source", source]) == NOT_CHECKED
    said = capsys.readouterr().err
    assert said.startswith(f"NOT CHECKED: {source}/v1/querybatch cannot be asked")
    assert f"Run it again where {source} can be reached" in said
