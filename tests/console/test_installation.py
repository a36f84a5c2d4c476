"""What surrounds the console: its unit, its rights at the broker, and the page that lists its settings."""

import re
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from pitwarden_client.events.topics import Topics
from pitwarden_client.router import subscription_filters
from pitwarden_client.state import VersionMonitor
from pitwarden_console.settings.console_settings import ConsoleSettings
from pitwarden_console.settings.sections import ConsoleFile

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/console-file.md").read_text(encoding="utf-8")
SECTION = re.compile(r"^## `\[+(\w+)\]+`\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def model_of(section: str) -> type[BaseModel]:
    annotation = ConsoleFile.model_fields[section].annotation
    inner = getattr(annotation, "__args__", (annotation,))[0]
    assert isinstance(inner, type)
    assert issubclass(inner, BaseModel)
    return inner


def test_the_reference_lists_every_key_and_no_other() -> None:
    sections = dict(SECTION.findall(PAGE))
    assert set(sections) == set(ConsoleFile.model_fields)
    for name, text in sections.items():
        assert re.findall(r"^\| `(\w+)`", text, re.MULTILINE) == list(model_of(name).model_fields)


def test_the_example_of_the_installation_is_valid() -> None:
    page = (ROOT / "docs/how-to/technician/install-the-pit-console.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    [text] = [each for each in blocks if each.startswith("[site]")]
    made = ConsoleSettings(
        ConsoleFile.model_validate(tomllib.loads(text), strict=False), Path("/etc/pitwarden-console")
    )
    assert made.store_url == "sqlite+aiosqlite:////var/lib/pitwarden-console/console.sqlite"


def block(text: str, user: str) -> set[tuple[str, str]]:
    found = text.partition(f"user {user}\n")[2].partition("\n\n")[0].partition("\n```")[0]
    return {(words[1], words[2]) for line in found.splitlines() if (words := line.split())[0] == "topic"}


@pytest.mark.parametrize(
    "page", ["config/mosquitto/pitwarden.acl", "docs/how-to/technician/install-the-pit-console.md"]
)
def test_its_login_may_read_what_the_client_subscribes_to_and_request_replays(page: str) -> None:
    topics = Topics("harbor", "ta01")
    wanted = {each.replace("/ta01/", "/+/") for each in subscription_filters(topics, "console", VersionMonitor(topics))}
    rights = block((ROOT / page).read_text(encoding="utf-8"), "console")
    assert {topic for kind, topic in rights if kind == "write"} == {
        "pitwarden/v1/harbor/+/replay/console/request",
        "pitwarden/v1/harbor/+/positions/console",
    }
    readable = {topic for kind, topic in rights if kind == "read"}
    assert {each for each in wanted if not covered(each, readable)} == set()


def covered(wanted: str, readable: set[str]) -> bool:
    """Whether a filter is within what may be read; the version segment is any, and v1 is what is granted."""
    plain = wanted.replace("pitwarden/+/", "pitwarden/v1/")
    return any(
        len(plain.split("/")) == len(each.split("/"))
        and all(own in {part, "+"} for part, own in zip(plain.split("/"), each.split("/"), strict=True))
        for each in readable
    )
