"""Drivers by name: the entry points `pitwarden.drivers` of every installed package, and map files by `map:FILE`."""

from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from pitwarden_drivers.api import Driver
from pitwarden_drivers.mapping.driver import PREFIX, map_driver
from pitwarden_drivers.mapping.file import MapRefused

GROUP: Final = "pitwarden.drivers"


class UnknownDriverError(ValueError):
    """A table file names a driver that is not installed, or not usable. Policy: refuse the file.

    Example: `driver = "tpd"`; the message names `tdp`.
    """


def names() -> tuple[str, ...]:
    """The names of all installed drivers, sorted."""
    return tuple(sorted(point.name for point in entry_points(group=GROUP)))


def find(name: str) -> Driver:
    """The driver or map called `name`; UnknownDriverError, with the nearest name there is, when there is none."""
    if name.startswith(PREFIX):
        return _mapped(name)
    points = tuple(entry_points(group=GROUP, name=name))
    if not points:
        raise UnknownDriverError(f"no driver is called {name!r}: {_advice(name)}")
    if len(points) > 1:
        packages = " and ".join(sorted(point.dist.name if point.dist else point.value for point in points))
        raise UnknownDriverError(f"{name!r} is the driver of {packages}: uninstall one of them")
    return _loaded(points[0])


def _mapped(name: str) -> Driver:
    try:
        return map_driver(name)
    except MapRefused as refused:
        raise UnknownDriverError(str(refused)) from None


def _advice(name: str) -> str:
    known = names()
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known) or 'none installed'}"


def _loaded(point: EntryPoint) -> Driver:
    try:
        driver = point.load()
    except (ImportError, AttributeError) as error:
        raise UnknownDriverError(f"driver {point.name!r} ({point.value}) does not load: {error}") from None
    if getattr(driver, "name", None) != point.name or not callable(getattr(driver, "session", None)):
        raise UnknownDriverError(
            f"driver {point.name!r} ({point.value}) is none: it needs `name` {point.name!r} and `session(expected)`"
        )
    found: Driver = driver
    return found
