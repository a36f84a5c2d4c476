"""Registry of drivers: entry points `pitwarden.drivers` of every installed package, and files, `map:` and `scan:`."""

from importlib.metadata import EntryPoint, entry_points
from typing import Final

from pitwarden_client.spelling import nearest
from pitwarden_drivers.api import MAP_PREFIX, SCAN_PREFIX, Driver

GROUP: Final = "pitwarden.drivers"


class UnknownDriverError(ValueError):
    """The table file names a driver that is not installed or not usable. Policy: refuse the file.

    Example: `driver = "tpd"`; the message names `tdp`.
    """


def driver_names() -> tuple[str, ...]:
    """Return the names of all installed drivers, sorted."""
    return tuple(sorted(point.name for point in entry_points(group=GROUP)))


def find_driver(name: str) -> Driver:
    """Return the driver, map or codes file called `name`.

    Raises:
        UnknownDriverError: None has this name; the message suggests the nearest.
    """
    if name.startswith(MAP_PREFIX):
        return _of_map(name)
    if name.startswith(SCAN_PREFIX):
        return _of_codes(name)
    points = tuple(entry_points(group=GROUP, name=name))
    if not points:
        raise UnknownDriverError(f"no driver is called {name!r}: {_advice(name)}")
    if len(points) > 1:
        packages = " and ".join(sorted(point.dist.name if point.dist else point.value for point in points))
        raise UnknownDriverError(f"{name!r} is the driver of {packages}: uninstall one of them")
    return _loaded(points[0])


def _of_map(name: str) -> Driver:
    from pitwarden_drivers.mapping.driver import map_driver  # noqa: PLC0415  a table without a map starts without it
    from pitwarden_drivers.mapping.map_file import MapFileError  # noqa: PLC0415

    try:
        return map_driver(name)
    except MapFileError as refused:
        raise UnknownDriverError(str(refused)) from None


def _of_codes(name: str) -> Driver:
    from pitwarden_drivers.scanner.codes_file import CodesFileError  # noqa: PLC0415  as above
    from pitwarden_drivers.scanner.driver import scanner_driver  # noqa: PLC0415

    try:
        return scanner_driver(name)
    except CodesFileError as refused:
        raise UnknownDriverError(str(refused)) from None


def _advice(name: str) -> str:
    known = driver_names()
    near = nearest(name, known, 0.5)
    return f"did you mean {near!r}?" if near else f"there are {', '.join(known) or 'none installed'}"


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
