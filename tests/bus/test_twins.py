"""A second run of a half is found by its status, and nothing less than its status counts."""

from pitwarden.bus.twins import MOST_TWINS, TwinDetector
from pitwarden_client.events.codec import encode
from pitwarden_client.events.status import PartStatus


class Heard:
    def __init__(self) -> None:
        self.said: list[str] = []
        self.detector = TwinDetector("ours", self.said.append, lambda: self.said.append("alone"))

    def status(self, run: str, *, online: bool) -> None:
        self.detector.heard(encode(PartStatus(online=online, run=run)))


def test_another_run_that_is_online_is_a_twin_until_it_ends() -> None:
    heard = Heard()
    for _ in range(3):
        heard.status("theirs", online=True)
    assert heard.said == ["run theirs says that it is this half, and so does run ours, which is ours"]
    heard.status("theirs", online=False)
    assert heard.said[1:] == ["alone"]
    heard.status("theirs", online=True)
    assert len(heard.said) == 3


def test_with_two_twins_the_end_of_one_is_not_the_end() -> None:
    heard = Heard()
    heard.status("second", online=True)
    heard.status("third", online=True)
    heard.status("second", online=False)
    assert "alone" not in heard.said
    heard.status("third", online=False)
    assert heard.said[-1] == "alone"


def test_our_own_echo_the_late_will_of_an_earlier_run_and_anything_else_are_none() -> None:
    heard = Heard()
    heard.status("ours", online=True)
    heard.status("earlier", online=False)
    heard.detector.heard(b"offline")
    assert heard.said == []


def test_a_flood_of_runs_is_remembered_within_a_bound() -> None:
    heard = Heard()
    for number in range(MOST_TWINS + 5):
        heard.status(f"r{number}", online=True)
    assert len(heard.said) == MOST_TWINS
