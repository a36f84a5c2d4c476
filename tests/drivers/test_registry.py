"""Drivers by name: what is not there, twice there or none is refused with the nearest name."""

from importlib.metadata import EntryPoint

import pytest

from pitwarden_drivers import registry
from pitwarden_drivers.api import ExpectedDevice
from pitwarden_drivers.tdp.session import TdpSession


def test_tdp_is_found_and_makes_dialogues() -> None:
    driver = registry.find_driver("tdp")
    assert driver.name == "tdp"
    assert isinstance(driver.session(ExpectedDevice("shoe", "N42")), TdpSession)
    assert "tdp" in registry.driver_names()


@pytest.mark.parametrize(("name", "words"), [("tpd", "did you mean 'tdp'"), ("zzzzzz", "there are tdp")])
def test_an_unknown_driver_is_answered_with_the_nearest(name: str, words: str) -> None:
    with pytest.raises(registry.UnknownDriverError, match=words):
        registry.find_driver(name)


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, registry.GROUP)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ((point("tdp", "a:X"), point("tdp", "b:Y")), "driver of a:X and b:Y: uninstall one"),
        ((point("tdp", "nowhere.at.all:X"),), "does not load: No module named"),
        ((point("tdp", "pitwarden_drivers.tdp:NOTHING"),), "does not load: .*NOTHING"),
        ((point("tdp", "pitwarden_drivers.errors:LinkLostError"),), "is none: it needs `name` 'tdp'"),
    ],
)
def test_a_driver_that_is_no_driver_is_refused(
    points: tuple[EntryPoint, ...], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda **_given: points)
    with pytest.raises(registry.UnknownDriverError, match=words):
        registry.find_driver("tdp")


def test_without_any_driver_the_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda **_given: ())
    with pytest.raises(registry.UnknownDriverError, match="there are none installed"):
        registry.find_driver("tdp")
