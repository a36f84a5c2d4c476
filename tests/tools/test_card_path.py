"""The count of files and changes of file on one card's way: what counts, where it begins and where it ends."""

import json

import pytest

from pitwarden_tools.bench import verdict
from pitwarden_tools.card_path import CardPath, main
from testkit.brokers.mosquitto import mosquitto


def test_files_count_once_and_each_call_in_another_file_than_the_last_is_a_change() -> None:
    path = CardPath(["a", "a", "b", "a", "c", "c"])
    assert (path.files, path.changes) == (3, 3)
    assert (CardPath([]).files, CardPath(["a"]).changes) == (0, 0)


@pytest.mark.broker
@pytest.mark.slow
def test_a_card_is_followed_from_its_port_to_the_connection_that_publishes_its_verdict(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdict, "MOST_TO_STEADY", 0)  # the path is the same on young journals
    kept: list[list[str]] = []
    honest = json.loads

    def loaded(text: str) -> list[list[str]]:
        kept.extend(honest(text))
        return kept

    monkeypatch.setattr(json, "loads", loaded)
    assert main(["--mosquitto", mosquitto(), "--cards", "3", "--list"]) == 0
    *listed, said = capsys.readouterr().out.splitlines()
    shortest = min((CardPath(calls) for calls in kept), key=lambda path: path.changes)
    assert said == f"one card: {shortest.files} files, {shortest.changes} changes of file, {len(shortest.calls)} calls"
    assert len(listed) == shortest.changes + 1
    assert len(kept) == 3
    for calls in kept:
        assert calls[0].startswith("pitwarden_drivers/ports/")
        assert calls[-1].startswith("pitwarden/bus/")
        rooms = {"/".join(name.split("/")[:2]) for name in calls}
        assert {f"pitwarden/{room}" for room in ("field", "seal", "journal", "bus", "judge", "rules")} <= rooms
        assert {name.partition("/")[0] for name in calls} == {"pitwarden", "pitwarden_drivers"}
