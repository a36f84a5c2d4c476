"""The engineering tools are found by name in the source tree, and each is imported only when it is chosen."""

import subprocess
import sys

import pytest

from pitwarden_tools.__main__ import INTERRUPTED, TOOLS, main


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_a_tool_has_the_name_by_which_it_is_chosen(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert TOOLS[name]().name == name
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"usage: ./run tool {name}" in capsys.readouterr().out


def test_the_help_lists_every_tool(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    listed = {line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("    ")}
    assert set(TOOLS) <= listed


def test_an_unknown_tool_is_a_wrong_argument(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["benhc"])
    assert ended.value.code == 2
    assert "invalid choice: 'benhc'" in capsys.readouterr().err


def test_a_tool_that_control_c_ended_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = TOOLS["advisories"]()

    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "run", interrupted)
    assert main(["advisories"]) == INTERRUPTED == 130
    assert capsys.readouterr() == ("", "")


def test_a_tool_is_imported_when_it_is_chosen() -> None:
    program = (
        "import sys, pitwarden_tools.__main__ as tools\n"
        "before = set(sys.modules)\n"
        "tools.TOOLS['oracle']()\n"
        "new = {name.split('.')[-2] for name in set(sys.modules) - before if name.endswith('.command')}\n"
        "print(*sorted(new))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["oracle"]
