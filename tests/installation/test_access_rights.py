"""Rights of each login in the access list that `pitwarden setup` makes, for every topic of the contract.

The expected rights follow from who publishes what (`contract.channels`), not from the list. The list is read as
mosquitto reads it; that mosquitto enforces it is shown by delivery in `tests/bus`.
"""

from collections.abc import Iterator, Mapping
from itertools import product

import pytest

from pitwarden.installation.access_list import access_list
from pitwarden_client.contract.channels import CHANNELS, Channel
from pitwarden_client.events.topics import HALVES, ROLES

SITE, APART, TOGETHER = "bay", "ta01", "ta02"
DEVICES, CONSUMERS = ("shoe", "shuffler", "reader"), ("historian", "console")
LISTED = access_list(SITE, {APART: True, TOGETHER: False})
LOGINS = [line.split()[1] for line in LISTED.splitlines() if line.startswith("user ")]


def rights(login: str) -> Iterator[tuple[str, str]]:
    """Yield the access and the filter of each line of a login."""
    user = ""
    for line in LISTED.splitlines():
        words = line.split()
        if words[:1] == ["user"]:
            user = words[1]
        elif words[:1] == ["topic"] and user == login:
            access, topic = words[1:] if len(words) == 3 else ("readwrite", words[1])
            yield access, topic


def matches(topic: str, given: str) -> bool:
    """Return whether a topic matches a filter of MQTT."""
    left, right = given.split("/"), topic.split("/")
    if left[-1] == "#":
        left, right = left[:-1], right[: len(left) - 1]
    return len(left) == len(right) and all(one in {"+", other} for one, other in zip(left, right, strict=True))


def may(login: str, access: str, topic: str) -> bool:
    return any(given in {access, "readwrite"} and matches(topic, where) for given, where in rights(login))


def topics(table: str) -> Iterator[tuple[Channel, str, Mapping[str, str]]]:
    """Yield every topic of a table: its channel, the topic, and the values of the parameters in it."""
    values = {
        "origin": (*DEVICES, "table"), "kind": ("shoe_card", "input"), "role": ROLES, "part": HALVES,
        "device": DEVICES, "consumer": ("judge", *CONSUMERS),
        "terminal": ["console", *(f"{one}-{role}" for one in (APART, TOGETHER) for role in ROLES)],
    }  # fmt: skip
    for channel in CHANNELS:
        names = [name for name in values if f"{{{name}}}" in channel.address]
        for chosen in product(*(values[name] for name in names)):
            given = dict(zip(names, chosen, strict=True))
            yield channel, f"pitwarden/v1/{SITE}/{table}/{channel.address.format_map(given)}", given


def may_write(login: str, table: str, channel: Channel, given: Mapping[str, str]) -> bool:
    """Return whether `login` publishes there, by the contract."""
    half = next((half for half in HALVES if login == f"{APART}-{half}"), None)
    if (table == APART and half is not None) or (login, table) == (TOGETHER, TOGETHER):
        if given.get("part", half) != half and half is not None:
            return False
        if channel.name == "positions":
            return given["consumer"] == "judge" and half != "field"
        return channel.sent | (channel.name == "commands") and (half is None or half in channel.speakers)
    role = next((role for role in ROLES if login == f"{table}-{role}"), None)
    if role is not None:
        return channel.name == "inputs" and (given["role"], given["terminal"]) == (role, login)
    if login in CONSUMERS:
        return channel.name in {"replayRequests", "positions"} and given["consumer"] == login
    return login.startswith("console-") and _of_the_console(login, channel, given)


def _of_the_console(login: str, channel: Channel, given: Mapping[str, str]) -> bool:
    """Return whether the pit console keys there for its people: each role has a login of its own."""
    return channel.name == "inputs" and given["role"] == login.partition("-")[2] and given["terminal"] == "console"


@pytest.mark.parametrize("login", LOGINS)
def test_a_login_writes_what_the_contract_has_it_publish_and_nothing_else(login: str) -> None:
    allowed = refused = 0
    for table in (APART, TOGETHER, "ta03"):
        for channel, topic, given in topics(table):
            expected = may_write(login, table, channel, given)
            assert may(login, "write", topic) == expected, f"{login}: {topic}"
            allowed, refused = allowed + expected, refused + (not expected)
    assert refused > 100
    assert allowed > 0, "a login without a right has no purpose"


@pytest.mark.parametrize("login", LOGINS)
def test_no_terminal_or_consumer_reads_a_command_or_another_one_s_answers(login: str) -> None:
    half = next((half for half in HALVES if login == f"{APART}-{half}"), None)
    for table in (APART, TOGETHER):
        for channel, topic, given in topics(table):
            reads = may(login, "read", topic)
            if channel.name == "commands":
                assert reads == ((half == "field" and table == APART) or (login, table) == (TOGETHER, TOGETHER)), topic
            if channel.name == "replies" and login not in {f"{APART}-field", TOGETHER}:
                own = login if not login.startswith("console-") else "console"
                assert not reads or given["terminal"] == own, f"{login}: {topic}"
                assert not reads or own != "console" or given["role"] == login.partition("-")[2], f"{login}: {topic}"
            if channel.name.startswith("replay") and login not in {*(f"{APART}-{half}" for half in HALVES), TOGETHER}:
                assert not reads or given["consumer"] == login, f"{login}: {topic}"


def test_each_command_topic_is_written_by_its_judge_alone() -> None:
    for table, judge in ((APART, f"{APART}-judge"), (TOGETHER, TOGETHER)):
        for device in DEVICES:
            topic = f"pitwarden/v1/{SITE}/{table}/commands/{device}"
            assert [login for login in LOGINS if may(login, "write", topic)] == [judge]


@pytest.mark.parametrize(
    ("topic", "given", "found"),
    [
        ("a/b/c", "a/+/c", True), ("a/b/c", "a/#", True), ("a", "a/#", True), ("a/b", "a/b/c", False),
        ("a/b/c", "a/+", False), ("a/b", "a/c", False),
    ],
)  # fmt: skip
def test_filters_match_as_mqtt_states(topic: str, given: str, *, found: bool) -> None:
    assert matches(topic, given) is found
