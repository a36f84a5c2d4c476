"""A table file that somebody else wrote costs a sentence: no hang, no trace, no memory, and no value of it repeated."""

from pathlib import Path

import pytest

from pitwarden.config.loading import MOST_BYTES, ExternalChecks, load_table_file
from pitwarden.config.problems import ConfigError

SECRET = "hunter2"  # noqa: S105  a value that no sentence repeats
HOSTILE: dict[str, bytes] = {
    "brackets without end": b"a = " + b"[" * 60_000,
    "brackets on many lines": b"a = " + b"[\n" * 60_000,
    "tables in tables": b"a = " + b"{b=" * 1_000,
    "a key of many parts": b".".join([b"a"] * 50_000) + b" = 1",
    "many keys of many parts": b"\n".join(b"a%d." % n + b".".join([b"a"] * 2_000) + b" = 1" for n in range(30)),
    "a section of many parts": b"[" + b".".join([b"a"] * 2_000) + b"]\n",
    "a number without end": b"a = " + b"9" * 500_000,
    "a float without end": b"a = 1e" + b"9" * 4_000,
    "no UTF-8": b"\xff\xfe\x00[\x00t\x00",
    "a zero byte": b'[table]\nsite = "a\x00b"\n',
    "a key twice": b"[table]\nsite = 'a'\nsite = 'b'\n",
    "a table twice": b"[table]\n[table]\n",
    "an open string": b'a = """' + b"x" * 100_000,
    "a date that is none": b"a = 2026-13-45\n",
    "a string as a section": b"table = 'x'\n",
    "a section as a string": b"[broker]\nhost = {a = 1}\n",
    "a list as a section": b"[[table]]\n[[table]]\n",
    "a thousand devices": b"".join(b"[devices.d%d]\nport = '/dev/x'\n" % n for n in range(1_000)),
    "an unknown key with a secret": f"[table]\npassword = '{SECRET}'\n".encode(),
    "a line that draws over the screen": b"# \x1b[2J\x9b2J\n",
    "text that reads backwards": "# \u202e\n".encode(),
    "more than a file may hold": b"#" + b"x" * MOST_BYTES,
}


def anything(_path: str, _simulated: bool) -> None:  # noqa: FBT001  the check's signature
    """Accept any port."""


def refusal(file: Path) -> str:
    checks = ExternalChecks(anything, lambda _name: object())
    with pytest.raises(ConfigError) as caught:
        load_table_file(file, checks, {})
    return str(caught.value)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_it_is_refused_in_words(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_bytes(content)
    said = refusal(file)
    assert said.startswith(f"{file}:")
    assert SECRET not in said
    assert "\x1b" not in said
    assert "\x9b" not in said


@pytest.mark.timeout(20)
@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/", "/proc/self/mem"])
def test_what_is_no_file_of_text_is_named_and_never_read_to_its_end(path: str) -> None:
    assert refusal(Path(path)).startswith(f"{path}:")


@pytest.mark.timeout(20)
def test_a_link_to_itself_is_named(tmp_path: Path) -> None:
    link = tmp_path / "table.toml"
    link.symlink_to(link)
    assert "cannot be read" in refusal(link)
