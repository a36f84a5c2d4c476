"""Command `pitwarden session-kit`: plays the obligations of a session against a driver, with a simulated device."""

import argparse
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final

from pitwarden_drivers.api import Driver
from pitwarden_drivers.registry import UnknownDriverError, find_driver
from pitwarden_simulators.obligations import ObligationFinding, print_verdict
from pitwarden_simulators.session_kit.device import SIMULATED, DeviceMaker, KitDevice
from pitwarden_simulators.session_kit.kit import NAME_WIDTH, OBLIGATIONS, play_session
from pitwarden_simulators.session_kit.script import ScriptedDevice, ScriptError, read_script

EX_CONFIG: Final = 78
_SIMULATED: Final = "simulated:"
_FILES: Final = ("map:", "scan:")


class KitArgumentError(ValueError):
    """The arguments name no driver or no device. Policy: print it and end with 78. Example: a module is missing."""


class SessionKitCommand:
    """The command `session-kit`."""

    name = "session-kit"
    help = "play a driver against a bad line, restarts and a slow host, obligation by obligation"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        devices = ", ".join(_SIMULATED + name for name in SIMULATED)
        parser.add_argument("driver", help="as in a table file (tdp, map:FILE, scan:FILE), or MODULE:NAME")
        parser.add_argument(
            "--device", required=True, help=f"a device script (FILE.toml), MODULE:NAME, or one of {devices}"
        )
        parser.add_argument(
            "--path", type=Path, metavar="DIR", help="folder of the modules of a driver that is not installed"
        )
        parser.add_argument("--only", default="", metavar="WORDS", help="only obligations that contain these words")
        parser.add_argument("--seed", type=int, default=1, help="another number plays other faults")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when no obligation is broken, 1 when one is, 78 when driver or device are not there."""
        if args.path is not None:
            sys.path.insert(0, str(args.path.absolute()))
        try:
            driver, make = _driver(args.driver), _device(args.device)
            findings = [_show(one) for one in play_session(driver, make, args.seed, args.only)]
        except (KitArgumentError, UnknownDriverError, ScriptError) as refused:
            print(refused, file=sys.stderr)  # noqa: T201  a command talks to a person
            return EX_CONFIG
        if not findings:
            names = ", ".join(one.name for one in OBLIGATIONS)
            print(f"--only {args.only}: no obligation contains it: {names}", file=sys.stderr)  # noqa: T201  as above
            return EX_CONFIG
        return print_verdict("session", findings)


def _show(finding: ObligationFinding) -> ObligationFinding:
    print(finding.line(NAME_WIDTH), flush=True)  # noqa: T201  a command talks to a person
    return finding


def _driver(name: str) -> Driver:
    for prefix in _FILES:
        if name.startswith(prefix):
            return find_driver(prefix + str(Path(name.removeprefix(prefix)).absolute()))
    if ":" not in name:
        return find_driver(name)
    found = _named(name, "a driver")
    if not callable(getattr(found, "session", None)):
        raise KitArgumentError(f"{name}: is not a driver: it needs `name` and `session(expected)`")
    driver: Driver = found  # type: ignore[assignment]  # the line above has verified what can be verified
    return driver


def _device(name: str) -> DeviceMaker:
    if name.startswith(_SIMULATED):
        word = name.removeprefix(_SIMULATED)
        if word not in SIMULATED:
            raise KitArgumentError(f"{name}: simulated are {', '.join(SIMULATED)}")
        return SIMULATED[word]
    if name.endswith(".toml"):
        script = read_script(Path(name))
        return lambda: ScriptedDevice(script)
    if ":" not in name:
        raise KitArgumentError(f"{name}: write a device script (FILE.toml), MODULE:NAME or {_SIMULATED}shoe")
    found = _named(name, "a maker of devices")
    if not callable(found):
        raise KitArgumentError(f"{name}: is not a class of a simulated device, or a function that makes one")
    return _checked_maker(name, found)


def _checked_maker(name: str, make: Callable[[], object]) -> DeviceMaker:
    """Return `make` after one device of it was made and has what the kit needs.

    Raises:
        KitArgumentError: An attribute is missing.
    """
    wanted = ("family", "serial", "keeps", "whole_records", "kept", "happen", "restart", "opened", "receive", "tick")
    missing = [attribute for attribute in wanted if not hasattr(make(), attribute)]
    if missing:
        raise KitArgumentError(f"{name}: the device lacks {', '.join(missing)}: see session_kit/device.py, KitDevice")

    def made() -> KitDevice:
        device: KitDevice = make()  # type: ignore[assignment]  # its attributes are verified above
        return device

    return made


def _named(name: str, what: str) -> object:
    """Return the object `MODULE:NAME`.

    Raises:
        KitArgumentError: There is no such module, it does not load, or it has no such name.
    """
    module, _, attribute = name.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, SyntaxError, ValueError) as error:
        raise KitArgumentError(f"{name}: {what} does not load: {error}. See --path") from None


COMMAND = SessionKitCommand()
