"""The list of what is in a package, CycloneDX 1.6: a distribution of ours and each locked one with its hashes.

Usage: sbom.py runtime.lock TIME DISTRIBUTION >sbom.cdx.json
"""

import re
import sys
from importlib.metadata import metadata, version
from pathlib import Path
from typing import Final
from uuid import UUID

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

_PIN: Final = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>\S+)")
_HASH: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_NO_SERIAL: Final = UUID(int=0)  # built twice, the list is the same


def components(lock: str) -> list[Component]:
    """One component a pinned distribution; its hashes are those of the files that the index offers for it."""
    made = []
    for block in re.split(r"\n(?=[A-Za-z0-9])", lock):
        pin = _PIN.match(block)
        if pin is None:
            continue
        name, pinned = pin["name"], pin["version"]
        made.append(
            Component(
                name=name,
                version=pinned,
                type=ComponentType.LIBRARY,
                bom_ref=f"{name}=={pinned}",
                purl=PackageURL("pypi", name=name, version=pinned),
                licenses=licences(name),
                hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest) for digest in _HASH.findall(block)],
            )
        )
    return made


def licences(name: str) -> list[LicenseExpression | DisjunctiveLicense]:
    """Return the license that the distribution declares."""
    said = metadata(name)
    expression = said.get("License-Expression")
    if expression:
        return [LicenseExpression(expression)]
    plain = said.get("License")
    if plain:
        return [DisjunctiveLicense(name=plain.splitlines()[0])]
    classified = [each for each in said.get_all("Classifier", []) if each.startswith("License :: ")]
    return [DisjunctiveLicense(name=each.rsplit(" :: ", 1)[-1]) for each in classified]


def main() -> None:
    """Print the list."""
    lock = Path(sys.argv[1]).read_text(encoding="utf-8")
    ours, name = version("pitwarden"), sys.argv[3]
    bom = Bom(serial_number=_NO_SERIAL, components=components(lock))
    bom.metadata.timestamp = bom.metadata.timestamp.fromtimestamp(int(sys.argv[2]), bom.metadata.timestamp.tzinfo)
    bom.metadata.component = Component(
        name=name, version=ours, type=ComponentType.APPLICATION, bom_ref=f"{name}=={ours}",
        licenses=[LicenseExpression("Apache-2.0")],
    )  # fmt: skip
    bom.register_dependency(bom.metadata.component, bom.components)
    sys.stdout.write(JsonV1Dot6(bom).output_as_string(indent=2) + "\n")


if __name__ == "__main__":
    main()
