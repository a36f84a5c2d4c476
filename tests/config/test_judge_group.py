"""`[judge_group]`: a server elsewhere is reached over verified TLS alone, and what cannot be used is named."""

from pathlib import Path

import pytest

from pitwarden.config.judge_group import absolute_group_paths, judge_group_problems
from pitwarden.config.models import JudgeGroupSection


def section(**keys: object) -> JudgeGroupSection:
    return JudgeGroupSection.model_validate({"addresses": ["db-a"], "user": "judge", **keys})


@pytest.mark.parametrize(
    ("keys", "wrong"),
    [
        ({}, ["ca"]),
        ({"ca": "ca.pem"}, []),
        ({"addresses": ["127.0.0.1:5433", "localhost"]}, []),
        ({"addresses": ["/run/postgresql"]}, []),
        ({"addresses": ["/run/postgresql", "db-a"]}, ["ca"]),
        ({"addresses": ["db-a", "db-a"], "ca": "ca.pem"}, ["addresses"]),
        ({"addresses": ["db a:x"], "ca": "ca.pem"}, ["addresses"]),
        ({"ca": "ca.pem", "cert": "c"}, ["key"]),
        ({"ca": "ca.pem", "key": "k"}, ["cert"]),
    ],
)
def test_what_cannot_be_used_is_named(keys: dict[str, object], wrong: list[str]) -> None:
    assert [key for key, _ in judge_group_problems(section(**keys))] == wrong


def test_no_section_is_no_problem() -> None:
    assert list(judge_group_problems(None)) == []


def test_a_relative_path_begins_at_the_table_file() -> None:
    made = absolute_group_paths(section(ca="ca.pem", cert="/etc/p"), Path("/etc/pitwarden"))
    assert (made.ca, made.cert, made.key) == (Path("/etc/pitwarden/ca.pem"), Path("/etc/p"), None)
