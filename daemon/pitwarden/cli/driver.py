"""`pitwarden driver`: begin and test a driver, install its wheel without pip, list and remove installed drivers."""

import argparse
import importlib
import sys
import sysconfig
import unittest
from pathlib import Path
from typing import Final

from pitwarden.cli.command import Command, add_commands, chosen_command
from pitwarden.cli.table_file import EX_CONFIG
from pitwarden.installation.driver_source import DriverSourceError, write_driver_source
from pitwarden.installation.driver_wheel import (
    WheelError,
    driver_distributions,
    driver_names_of,
    install_wheel,
    installed_here,
    read_wheel,
    remove_distribution,
)
from pitwarden_drivers.registry import UnknownDriverError, find_driver


class _New:
    name = "new"
    help = "write the source of a driver that runs, with its simulated device, test, capture and page"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare name and folder."""
        parser.add_argument("driver", metavar="NAME", help="its name in table files: small letters, digits and _")
        parser.add_argument("--folder", type=Path, metavar="DIR", help="where to write it (default: NAME-driver)")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when it is written, 78 for a name or a folder that is not usable."""
        folder = args.folder or Path(f"{args.driver}-driver")
        for file in write_driver_source(args.driver, folder):
            print(file)  # noqa: T201  the command's answer
        print(f"Next: read {folder / 'README.md'}")  # noqa: T201  as above
        return 0


class _Test:
    name = "test"
    help = "run the tests of a driver's source folder with the Python that pitwarden runs in"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the folder."""
        parser.add_argument(
            "folder", type=Path, nargs="?", default=Path(), metavar="DIR",
            help="the folder that `driver new` wrote (default: this one)",
        )  # fmt: skip

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when each test passes, 1 when one fails, 78 for a folder without tests."""
        tests = args.folder / "tests"
        if not tests.is_dir():
            raise DriverSourceError(
                f"{tests}: there is no such folder. Name the folder that `pitwarden driver new` wrote"
            )
        found = unittest.TestLoader().discover(str(tests))
        if not found.countTestCases():
            raise DriverSourceError(f"{tests}: no test_*.py with a test is in it")
        return 0 if unittest.TextTestRunner().run(found).wasSuccessful() else 1


class _Install:
    name = "install"
    help = "install the wheel of a driver, as root"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the wheel."""
        parser.add_argument("wheel", type=Path, metavar="WHEEL")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when its drivers load, 78 when the wheel is refused; then nothing of it stays."""
        wheel, site = read_wheel(args.wheel), _site()
        names = install_wheel(wheel, site)
        importlib.invalidate_caches()
        try:
            for driver in wheel.drivers:
                find_driver(driver)
        except UnknownDriverError as error:
            for one in driver_distributions():
                if set(driver_names_of(one)) == set(wheel.drivers) and installed_here(one):
                    remove_distribution(one, site)
            raise WheelError(f"{args.wheel}: {error}. It is removed again") from None
        print(f"{wheel.distribution} {wheel.version}: driver {', '.join(wheel.drivers)}, {len(names)} files in {site}")  # noqa: T201  the command's answer
        print("Next: name it in the table file, and restart the table")  # noqa: T201  as above
        return 0


class _List:
    name = "list"
    help = "the installed drivers, with their distributions"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare no argument."""

    def run(self, args: argparse.Namespace) -> int:  # noqa: ARG002  as every command's
        """Return 0."""
        for one in sorted(driver_distributions(), key=lambda found: found.name):
            own = "installed here" if installed_here(one) else "part of the package"
            for driver in driver_names_of(one):
                print(f"{driver:16}  {one.name} {one.version}, {own}")  # noqa: T201  the command's answer
        return 0


class _Remove:
    name = "remove"
    help = "remove a driver that was installed here, as root"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the driver."""
        parser.add_argument("driver", metavar="NAME")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when it is removed, 78 when there is none or it is part of the package."""
        for one in driver_distributions():
            if args.driver in driver_names_of(one):
                what = f"{one.name} {one.version}"  # before its metadata is deleted
                print(f"{what}: {len(remove_distribution(one, _site()))} files removed")  # noqa: T201  the command's answer
                return 0
        raise WheelError(f"{args.driver}: no driver has this name. `pitwarden driver list` lists them")


_ACTIONS: Final[tuple[Command, ...]] = (_New(), _Test(), _Install(), _List(), _Remove())


class DriverCommand:
    """The command `driver`."""

    name = "driver"
    help = "begin and test a driver of your own, install its wheel, list and remove drivers"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the actions."""
        add_commands(parser, "action", _ACTIONS)

    def run(self, args: argparse.Namespace) -> int:
        """Do the action; return 1 when a file cannot be written, 78 for what is refused."""
        try:
            return chosen_command(args, "action", _ACTIONS).run(args)
        except (DriverSourceError, WheelError) as refused:
            print(refused, file=sys.stderr)  # noqa: T201  a command talks to a person
            return EX_CONFIG
        except OSError as error:
            print(f"{error.filename}: {error.strerror}. Run it as root", file=sys.stderr)  # noqa: T201  as above
            return 1


def _site() -> Path:
    return Path(sysconfig.get_path("purelib"))


COMMAND = DriverCommand()
