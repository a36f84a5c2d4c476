"""Key types, key files, rotation.

Keys and their files: 32 bytes in hexadecimal, mode 0600, one a file; the public half beside it ends in `.pub`.

The adversary is another account on the same machine. A private key never stands in a repr or an error.

Where a table's keys lie: today's, and the replaced ones beside them.
"""

import os
import re
import stat
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final, Self, TypeVar

from pitwarden.seal import sodium
from pitwarden.seal.errors import KeyFileError

_FORBIDDEN_BITS: Final = 0o077
_HEX_KEY: Final = re.compile(r"\A[0-9a-f]{64}\n?\Z")
_NO_KEY: Final = "not a key. It must hold 64 hexadecimal digits and nothing else; restore it from its copy"
_MAX_FILE_BYTES: Final = 1_024  # a key takes 65; whoever names the wrong file shall not fill the memory


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A judge's public key, for which sealing keys are wrapped."""

    raw: bytes

    @property
    def text(self) -> str:
        """The key in hexadecimal: the judge's fingerprint."""
        return self.raw.hex()


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """A judge's private key: opens what was wrapped for its public half."""

    raw: bytes = field(repr=False)

    @classmethod
    def generate(cls) -> Self:
        """A new random key."""
        return cls(sodium.random_bytes(sodium.KEY_BYTES))

    @property
    def public_key(self) -> PublicKey:
        """What the field half is told."""
        return PublicKey(sodium.public_key_of(self.raw))

    @property
    def public(self) -> str:
        """The public half in hexadecimal."""
        return self.public_key.text


@dataclass(frozen=True, slots=True)
class SigningKey:
    """The field half's Ed25519 seed: signs the openings of epochs and the announcements of keys."""

    raw: bytes = field(repr=False)

    @classmethod
    def generate(cls) -> Self:
        """A new random key."""
        return cls(sodium.random_bytes(sodium.KEY_BYTES))

    @property
    def public(self) -> str:
        """The verify key in hexadecimal: what the judge trusts."""
        return sodium.verify_key(self.raw).hex()

    def sign(self, message: bytes) -> bytes:
        """The signature of `message`, 64 bytes."""
        return sodium.sign(self.raw, message)


def derive_checkpoint_key(private: PrivateKey) -> SigningKey:
    """The key that signs a judge's own checkpoints: only the holder of `private` can make it."""
    return SigningKey(sodium.derived_key(private.raw, b"pw checkpoint 1"))


def derive_audit_key(private: PrivateKey) -> bytes:
    """The key of the shuffle auditor's hashes: without `private` nobody tells which cards they are of."""
    return sodium.derived_key(private.raw, b"pw shuffles 1")


K = TypeVar("K", PrivateKey, SigningKey)


def load_private(path: Path, *, create: bool = False) -> PrivateKey:
    """A judge's key from `path`, made there first if it is missing and `create`; KeyFileError."""
    return _load(path, PrivateKey, create=create)


def load_signing(path: Path, *, create: bool = False) -> SigningKey:
    """A field half's key from `path`, made there first if it is missing and `create`; KeyFileError."""
    return _load(path, SigningKey, create=create)


def load_public(path: Path) -> str:
    """The public key or verify key in a `.pub` file, in hexadecimal; KeyFileError."""
    return _parsed(path, _read(path, secret=False)).hex()


def public_path(path: Path) -> Path:
    """Where the public half of the key file `path` lies."""
    return path.with_name(path.name + ".pub")


def retire(path: Path, *, keep: bool) -> None:
    """Takes the key file `path` out of use, its public half kept beside it as `.pub.old-N`; KeyFileError.

    `keep`: the private half is kept too, as `.old-N`, since old rows open with nothing else. A key that is missing or
    not usable is not retired.
    """
    _parsed(path, _read(path, secret=True))
    public = public_path(path)
    number = next(n for n in count(1) if not public.with_name(f"{public.name}.old-{n}").exists())
    try:
        public.rename(public.with_name(f"{public.name}.old-{number}"))
        if keep:
            path.rename(path.with_name(f"{path.name}.old-{number}"))
        else:
            path.unlink()
    except OSError as error:
        raise KeyFileError(
            f"{path}: the key cannot be retired: {error.strerror}. Make the folder, or its owner this account"
        ) from error


def _load(path: Path, kind: type[K], *, create: bool) -> K:
    if create and not path.exists():
        key = kind.generate()
        _write(path, key.raw.hex(), 0o600)
        _write(public_path(path), key.public, 0o644)
    return kind(_parsed(path, _read(path, secret=True)))


def _write(path: Path, text: str, mode: int) -> None:
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise KeyFileError(
            f"{path}: the key cannot be written: {error.strerror}. Make the folder, or its owner this account"
        ) from error


def _read(path: Path, *, secret: bool) -> str:
    try:
        with path.open(encoding="ascii") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if secret and mode & _FORBIDDEN_BITS:
                raise KeyFileError(f"{path}: mode {mode:04o} lets others use the key. Run: chmod 600 {path}")
            return file.read(_MAX_FILE_BYTES)
    except OSError as error:
        raise KeyFileError(
            f"{path}: the key cannot be read: {error.strerror}. Make it, or name another file"
        ) from error
    except UnicodeDecodeError:
        raise KeyFileError(f"{path}: {_NO_KEY}") from None


def _parsed(path: Path, text: str) -> bytes:
    if not _HEX_KEY.match(text):
        raise KeyFileError(f"{path}: {_NO_KEY}")
    return bytes.fromhex(text)


@dataclass(frozen=True, slots=True)
class KeyPaths:
    """Where a table's keys are."""

    field: Path
    judge: Path


def key_paths(folder: Path, prefix: str = "") -> KeyPaths:
    """The key files in `folder`; the public half of each has `.pub` behind its name."""
    return KeyPaths(folder / f"{prefix}field.key", folder / f"{prefix}judge.key")


def load_trusted_keys(field_key: Path) -> tuple[str, ...]:
    """The verify keys that sign this table's log, in hexadecimal: today's, and replaced ones that are kept."""
    today = public_path(field_key)
    replaced = sorted(today.parent.glob(f"{today.name}.old-*"))
    return tuple(load_public(path) for path in (today, *replaced))


def load_private_keys(judge_key: Path) -> tuple[PrivateKey, ...]:
    """The judge's private keys: today's, and the replaced ones whose rows are still kept."""
    replaced = sorted(judge_key.parent.glob(f"{judge_key.name}.old-*"))
    return tuple(load_private(path) for path in (judge_key, *replaced))
