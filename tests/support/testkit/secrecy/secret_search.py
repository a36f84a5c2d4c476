"""Search for secrets in raw files, as bytes, in hexadecimal and in base64."""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pitwarden.judge.unsealing import seals_in
from pitwarden.seal import sodium
from pitwarden.seal.keys import load_private, load_public
from pitwarden.seal.sealing import Opener
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.table import KeyAnnounced

Place = tuple[str, int, int]
"""Epoch, row, index."""


@dataclass(frozen=True)
class OpenedSecrets:
    """Secrets of a log that the judge's key opens: sealing keys, and each seal's blind by its place."""

    keys: tuple[bytes, ...]
    blinds: Mapping[Place, bytes]


def opened(bodies: Iterable[bytes], keys: Path, site: str, table: str) -> OpenedSecrets:
    """Return all secrets of a log, with the keys of its service in the folder `keys`."""
    private = load_private(keys / "judge.key")
    opener = Opener([private], [load_public(keys / "field.key.pub")], site, table)
    sealing, blinds = [], {}
    for body in bodies:
        row = decode(LogEvent, body)
        if isinstance(row.data, KeyAnnounced):
            opener.add_key(row.epoch, row.data)
            sealing += [sodium.unwrap(private.raw, b64decode(each.box)) for each in row.data.wrapped]
        for index, sealed in enumerate(seals_in(row)):
            blind = opener.open(row.source, row.id, index, sealed).blind
            blinds[row.epoch, row.tableseq, index] = bytes.fromhex(blind)
    return OpenedSecrets(tuple(sealing), blinds)


def holds(raw: bytes, secret: bytes) -> bool:
    """Return whether `raw` holds `secret` in one of its encodings, in base64 at any offset."""
    inside = [b64encode(bytes(shift) + secret)[shift and 4 : -4] for shift in range(3)]
    return any(spelling in raw for spelling in (secret, secret.hex().encode(), secret.hex().upper().encode(), *inside))


def files_of(folder: Path) -> dict[str, bytes]:
    """Return every file below `folder` except the key files, by its place."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and "keys" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}
