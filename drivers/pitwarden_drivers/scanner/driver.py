"""Driver `scan:FILE`: a HID bar-code scanner as a card source, with a codes file and its test block."""

from pathlib import Path

from pitwarden_drivers.api import SCAN_PREFIX, ExpectedDevice, Session
from pitwarden_drivers.scanner.codes_file import CodesFileError, load_codes
from pitwarden_drivers.scanner.meaning import ScanInterpreter, describe_code
from pitwarden_drivers.scanner.session import ScannerSession


class ScannerDriver:
    """Driver of one codes file."""

    def __init__(self, name: str, meaning: ScanInterpreter) -> None:
        self.name = name
        self._meaning = meaning

    def session(self, expected: ExpectedDevice) -> Session:
        """Return a new dialogue for a port that is about to open."""
        return ScannerSession(self._meaning, expected)


def scanner_driver(name: str) -> ScannerDriver:
    """Return the driver that `scan:FILE` names.

    Raises:
        CodesFileError: The file is wrong, or its own test block fails.
    """
    file = Path(name.removeprefix(SCAN_PREFIX))
    if not file.is_absolute():
        raise CodesFileError(f"{name!r}: write the file's absolute path, as scan:/etc/pitwarden/codes/shoe.toml")
    meaning = ScanInterpreter(load_codes(file))
    failed = [
        f"{file}: test.{at}: {trial.code!r} gives {given}, not {trial.gives}"
        for at, trial in enumerate(meaning.codes.test)
        if (given := describe_code(meaning, trial)) != trial.gives
    ]
    if failed:
        raise CodesFileError("\n".join(failed))
    return ScannerDriver(name, meaning)
