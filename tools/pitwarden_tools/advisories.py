"""Advisories against the locked packages, asked of an OSV database (https://osv.dev, the batch query of its API v1).

It is sent names and versions, nothing else. Where the database cannot be reached nothing was checked, and the
exit code states that: a gate must not take silence for good news.
"""

import argparse
import json
import os
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SOURCE: Final = "https://api.osv.dev"
LOCK: Final = Path(__file__).parents[2] / "requirements.lock"
NOT_CHECKED: Final = os.EX_TEMPFAIL
# The database answers a batch of our size in about a second. A network that swallows packets must not stop a gate.
ANSWER_S: Final = 20.0
# The lock has about 150 packages; the database takes 1,000 queries in a batch.
_MOST_BYTES: Final = 4_000_000
_PIN: Final = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LockedPackage:
    """Package of the lock."""

    name: str
    version: str


class SourceError(Exception):
    """The database gave no answer that can be used.

    Policy: nothing was checked; print the reason and end with NOT_CHECKED.

    Example: a machine without a way to the internet.
    """


class AdvisoriesTool:
    """The tool `advisories`."""

    name = "advisories"
    help = "ask an OSV database for advisories against the locked packages"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--lock", type=Path, default=LOCK, metavar="FILE", help="default: requirements.lock")
        parser.add_argument("--source", default=SOURCE, metavar="URL", help=f"OSV database (default: {SOURCE})")
        parser.add_argument(
            "--accept", action="append", default=[], metavar="ID", help="an advisory that was read and does not apply"
        )

    def run(self, args: argparse.Namespace) -> int:
        """Print each advisory with its package, and return 0 without one, 1 with one, 75 when nothing was checked."""
        packages = locked_packages(args.lock.read_text(encoding="utf-8"))
        try:
            found = advisories_of(packages, args.source)
        except SourceError as reason:
            print(f"NOT CHECKED: {reason}. Run it again where {args.source} can be reached", file=sys.stderr)  # noqa: T201  the tool's answer
            return NOT_CHECKED
        open_ones = {one: [each for each in ids if each not in args.accept] for one, ids in found.items()}
        for package, ids in open_ones.items():
            if ids:
                print(f"{package.name} {package.version}: {', '.join(ids)}")  # noqa: T201  as above
        count = sum(map(len, open_ones.values()))
        print(f"{len(packages)} packages checked against {args.source}: {count} advisories")  # noqa: T201  as above
        return 1 if count else 0


def locked_packages(lock: str) -> tuple[LockedPackage, ...]:
    """Return the packages that a lock in pip's format pins."""
    return tuple(LockedPackage(pin["name"], pin["version"]) for pin in _PIN.finditer(lock))


def advisories_of(packages: Sequence[LockedPackage], source: str) -> dict[LockedPackage, tuple[str, ...]]:
    """Return the identifiers of the advisories against each package.

    Raises:
        SourceError: The database cannot be reached, or its answer is not one to this question.
    """
    queries = [{"package": {"name": one.name, "ecosystem": "PyPI"}, "version": one.version} for one in packages]
    answer = _asked(f"{source}/v1/querybatch", {"queries": queries})
    results = answer.get("results")
    if not isinstance(results, list) or len(results) != len(packages):
        raise SourceError(f"{source} did not answer each question")
    return {one: tuple(_ids(result)) for one, result in zip(packages, results, strict=True)}


def _asked(url: str, question: Mapping[str, object]) -> Mapping[str, object]:
    if not url.startswith(("https://", "http://")):
        raise SourceError(f"{url} is not a web address")
    request = urllib.request.Request(  # noqa: S310  the scheme was checked
        url, data=json.dumps(question).encode(), headers={"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=ANSWER_S) as response:  # noqa: S310  as above
            answer = json.loads(response.read(_MOST_BYTES))
    except (urllib.error.URLError, TimeoutError, ValueError, OSError) as error:
        raise SourceError(f"{url} cannot be asked: {error}") from None
    return answer if isinstance(answer, dict) else {}


def _ids(result: object) -> Iterator[str]:
    found = result.get("vulns", []) if isinstance(result, dict) else []
    yield from (str(one["id"]) for one in found if isinstance(one, dict) and "id" in one)


COMMAND = AdvisoriesTool()
