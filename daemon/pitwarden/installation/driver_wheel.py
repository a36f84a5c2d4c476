"""Installation of a driver's wheel into this environment, without pip: pure Python, whole, and named in its RECORD.

Threat: a wheel that was changed on its way, or that replaces a file of pitwarden or of a library. What is installed
runs with the rights of the field half, so root installs a wheel, and `version --verify` names each of its files.
"""

import base64
import csv
import hashlib
import re
import zipfile
from collections.abc import Iterator
from configparser import ConfigParser
from configparser import Error as ConfigParserError
from dataclasses import dataclass, field
from email.parser import Parser
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path, PurePosixPath
from typing import Final

from pitwarden_drivers.registry import GROUP

INSTALLER: Final = "pitwarden"
MAX_WHEEL: Final = 67_108_864
"""Bytes of a wheel and of its content at most. A driver is some hundred kilobytes."""
_REQUIREMENT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class WheelError(ValueError):
    """The wheel is not installed. Policy: print the reason and end with 78. Example: a file differs from its RECORD."""


@dataclass(frozen=True, slots=True)
class DriverWheel:
    """Content of a wheel that was verified. `files` are its files by path, RECORD left out."""

    distribution: str
    version: str
    drivers: tuple[str, ...]
    info: str
    files: dict[str, bytes] = field(repr=False)


def read_wheel(path: Path) -> DriverWheel:
    """Return the verified content of the wheel at `path`.

    Raises:
        WheelError: It is not a wheel of a driver, or a file differs from its RECORD.
    """
    try:
        if path.stat().st_size > MAX_WHEEL:
            raise WheelError(f"{path}: is larger than {MAX_WHEEL} bytes: it is not the wheel of a driver")
        with zipfile.ZipFile(path) as opened:
            if sum(one.file_size for one in opened.infolist()) > MAX_WHEEL:
                raise WheelError(f"{path}: unpacks to more than {MAX_WHEEL} bytes")
            content = {one.filename: opened.read(one) for one in opened.infolist() if not one.is_dir()}
    except OSError as error:
        raise WheelError(f"{path}: cannot be read: {error.strerror}") from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise WheelError(f"{path}: is not a wheel: {error}") from None
    return _verified(path, content)


def _verified(path: Path, content: dict[str, bytes]) -> DriverWheel:
    records = [name for name in content if re.fullmatch(r"[^/]+\.dist-info/RECORD", name)]
    if len(records) != 1:
        raise WheelError(f"{path}: is not a wheel: it has no RECORD")
    info = records[0].partition("/")[0]
    for name in content:
        parts = PurePosixPath(name).parts
        if name.startswith("/") or "\\" in name or ".." in parts or parts[0].endswith((".data", ".pth")):
            raise WheelError(f"{path}: {name}: is not a place in site-packages. Only pure Python is installed")
    _check_record(path, content, records[0])
    wheel, metadata = (_headers(content, f"{info}/{name}") for name in ("WHEEL", "METADATA"))
    if wheel.get("root-is-purelib", "").lower() != "true":
        raise WheelError(f"{path}: has compiled parts. Only wheels of pure Python (py3-none-any) are installed")
    drivers = _drivers(path, content.get(f"{info}/entry_points.txt", b""))
    _check_requirements(path, content[f"{info}/METADATA"].decode("utf-8", "replace"))
    del content[records[0]]
    return DriverWheel(metadata.get("name", ""), metadata.get("version", ""), drivers, info, content)


def install_wheel(wheel: DriverWheel, site: Path) -> list[str]:
    """Write the wheel's files into `site` in the place of an earlier version, and return their paths.

    Raises:
        WheelError: A file belongs to another distribution, or another one has a driver of this name.
        OSError: A file cannot be written.
    """
    former = _installed(wheel.distribution)
    owned = set() if former is None else set(_record_of(former))
    for name in wheel.files:
        if (site / name).exists() and name not in owned:
            raise WheelError(f"{name}: exists already and is not a file of {wheel.distribution}")
    for other in driver_distributions():
        same = set(driver_names_of(other)) & set(wheel.drivers)
        if same and _plain(other.name) != _plain(wheel.distribution):
            raise WheelError(f"driver {', '.join(sorted(same))}: belongs to {other.name}. Remove that first")
    if former is not None:
        remove_distribution(former, site)
    files = {**wheel.files, f"{wheel.info}/INSTALLER": f"{INSTALLER}\n".encode()}
    for name, data in files.items():
        (site / name).parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        (site / name).write_bytes(data)
        (site / name).chmod(0o644)
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    (site / wheel.info / "RECORD").write_text(f"{record}{wheel.info}/RECORD,,\n", encoding="utf-8")
    return sorted([*files, f"{wheel.info}/RECORD"])


def remove_distribution(installed: Distribution, site: Path) -> list[str]:
    """Delete the files of a driver that was installed here, and return their paths.

    Raises:
        WheelError: Another program installed it.
    """
    if not installed_here(installed):
        raise WheelError(f"{installed.name}: was not installed by `pitwarden driver install`")
    names = sorted(_record_of(installed))
    folders = {
        parent for name in names for parent in (site / name).parents if parent != site and site in parent.parents
    }
    for name in names:
        (site / name).unlink(missing_ok=True)
    for folder in sorted(folders, key=lambda one: -len(one.parts)):
        for compiled in folder.glob("__pycache__/*.pyc"):
            compiled.unlink()
        (folder / "__pycache__").rmdir() if (folder / "__pycache__").is_dir() else None
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    return names


def driver_distributions() -> Iterator[Distribution]:
    """Yield each installed distribution that has a driver."""
    return (one for one in distributions() if driver_names_of(one))


def driver_names_of(installed: Distribution) -> tuple[str, ...]:
    """Return the names of the drivers of a distribution."""
    return tuple(sorted(point.name for point in installed.entry_points if point.group == GROUP))


def installed_here(installed: Distribution) -> bool:
    """Return whether `pitwarden driver install` installed the distribution."""
    return (installed.read_text("INSTALLER") or "").strip() == INSTALLER


def owners(site: Path) -> dict[Path, str]:
    """Return the driver, with distribution and version, of each file that was installed here."""
    return {
        site / name: f"driver {', '.join(driver_names_of(one))} of {one.name} {one.version}"
        for one in driver_distributions()
        if installed_here(one)
        for name in _record_of(one)
    }


def _check_record(path: Path, content: dict[str, bytes], record: str) -> None:
    listed = {
        row[0]: row[1] for row in csv.reader(content[record].decode("utf-8", "replace").splitlines()) if len(row) > 1
    }
    for name, data in content.items():
        if name == record:
            continue
        if name not in listed:
            raise WheelError(f"{path}: {name}: is not in the wheel's RECORD")
        if listed[name] != f"sha256={_digest(data)}":
            raise WheelError(f"{path}: {name}: differs from the wheel's RECORD. Fetch the wheel again")
    missing = [name for name in listed if name not in content]
    if missing:
        raise WheelError(f"{path}: {missing[0]}: is missing. Fetch the wheel again")


def _drivers(path: Path, entry_points: bytes) -> tuple[str, ...]:
    parser = ConfigParser(delimiters=("=",), interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # names of drivers keep their case
    try:
        parser.read_string(entry_points.decode("utf-8", "replace"))
        names = tuple(sorted(parser.options(GROUP)))
    except ConfigParserError:
        names = ()
    if not names:
        raise WheelError(f"{path}: has no driver: its project needs an entry point in the group {GROUP}")
    return names


def _check_requirements(path: Path, metadata: str) -> None:
    for text in Parser().parsestr(metadata).get_all("Requires-Dist", []):
        found = _REQUIREMENT.match(text)
        if found is None or "extra ==" in text:
            continue
        if _installed(found[0]) is None:
            raise WheelError(
                f"{path}: needs {text}, which is not installed. Put that code into the driver's own package"
            )


def _headers(content: dict[str, bytes], name: str) -> dict[str, str]:
    message = Parser().parsestr(content.get(name, b"").decode("utf-8", "replace"))
    return {key.lower(): value for key, value in message.items()}


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _record_of(installed: Distribution) -> list[str]:
    return [str(one) for one in installed.files or ()]


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
