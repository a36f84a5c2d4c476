"""Key types, key files and rotation.

A key file holds 32 bytes in hexadecimal and has mode 0600; the public half is next to it, with the suffix `.pub`.
Replaced keys are next to the current one.

Threat: another account on the same machine. A private key never appears in a repr or an error.
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
    """Public key of a judge, for which sealing keys are wrapped."""

    raw: bytes

    @property
    def text(self) -> str:
        """Key in hexadecimal: the judge's fingerprint."""
        return self.raw.hex()


@dataclass(frozen=True, slots=True)
class PrivateKey:
    """Private key of a judge, which opens what was wrapped for its public half."""

    raw: bytes = field(repr=False)

    @classmethod
    def generate(cls) -> Self:
        """Return a new random key."""
        return cls(sodium.random_bytes(sodium.KEY_BYTES))

    @property
    def public_key(self) -> PublicKey:
        """Public half, which the field half receives."""
        return PublicKey(sodium.public_key_of(self.raw))

    @property
    def public(self) -> str:
        """Public half in hexadecimal."""
        return self.public_key.text


@dataclass(frozen=True, slots=True)
class SigningKey:
    """Ed25519 seed of the field half, which signs epoch openings and key announcements."""

    raw: bytes = field(repr=False)
    public: str = field(init=False, compare=False)
    """Verify key in hexadecimal, which the judge trusts."""

    def __post_init__(self) -> None:
        # Every commit names its signer, and to derive the verify key takes as long as the signature.
        object.__setattr__(self, "public", sodium.verify_key(self.raw).hex())

    @classmethod
    def generate(cls) -> Self:
        """Return a new random key."""
        return cls(sodium.random_bytes(sodium.KEY_BYTES))


def derive_checkpoint_key(private: PrivateKey) -> SigningKey:
    """Return the key that signs a judge's own checkpoints. Only the holder of `private` can derive it."""
    return SigningKey(sodium.derived_key(private.raw, b"pw checkpoint 1"))


def derive_audit_key(private: PrivateKey) -> bytes:
    """Return the key of the shuffle auditor's hashes: without `private` they do not disclose the cards."""
    return sodium.derived_key(private.raw, b"pw shuffles 1")


def sign_path(judge_key: Path) -> Path:
    """Return the path of the key that verifies a judge's signatures, beside its key file.

    The name begins as that of the public half, since both go wherever that one goes.
    """
    public = public_path(judge_key)
    return public.with_name(f"{public.name}.sign")


def write_verify_key(judge_key: Path, private: PrivateKey) -> str:
    """Write the key that verifies the judge's signatures beside its key file, unless it is there; return it.

    Raises:
        KeyFileError: The file cannot be written.
    """
    path, verify = sign_path(judge_key), derive_checkpoint_key(private).public
    if not path.exists() or _read(path, secret=False).strip() != verify:
        path.unlink(missing_ok=True)
        _write(path, verify, 0o644)
    return verify


def load_verify_key(judge_key: Path) -> str | None:
    """Return the key that verifies the judge's signatures, in hexadecimal; None where keys of 0.2.0 or older lack it.

    Raises:
        KeyFileError: The file is not a key.
    """
    path = sign_path(judge_key)
    return load_public(path) if path.exists() else None


K = TypeVar("K", PrivateKey, SigningKey)


def load_private(path: Path, *, create: bool = False) -> PrivateKey:
    """Return a judge's key from `path`; with `create`, a missing one is made first.

    Raises:
        KeyFileError: The file is missing, readable by others, or not a key.
    """
    return _load(path, PrivateKey, create=create)


def load_signing(path: Path, *, create: bool = False) -> SigningKey:
    """Return a field half's key from `path`; with `create`, a missing one is made first.

    Raises:
        KeyFileError: The file is missing, readable by others, or not a key.
    """
    return _load(path, SigningKey, create=create)


def load_public(path: Path) -> str:
    """Return the public key or verify key in a `.pub` file, in hexadecimal.

    Raises:
        KeyFileError: The file is missing or not a key.
    """
    return _parsed(path, _read(path, secret=False)).hex()


def public_path(path: Path) -> Path:
    """Return the path of the public half of the key file `path`."""
    return path.with_name(path.name + ".pub")


def retire(path: Path, *, keep: bool) -> None:
    """Take the key file `path` out of use. Its public half is kept as `.pub.old-N`.

    Args:
        path: Key file.
        keep: Whether the private half is kept too, as `.old-N`, because only it opens old rows.

    Raises:
        KeyFileError: The key is missing or not usable, and was not retired; or a file cannot be renamed.
    """
    _parsed(path, _read(path, secret=True))
    public = public_path(path)
    number = next(n for n in count(1) if not public.with_name(f"{public.name}.old-{n}").exists())
    try:
        # The public half first: interrupted here, old rows can still be verified and the private key is still in its
        # place.
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
        # O_EXCL: a key that another process has just made is never replaced.
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
    """Paths of a table's private keys."""

    field: Path
    judge: Path


def key_paths(folder: Path, prefix: str = "") -> KeyPaths:
    """Return the key files in `folder`; the public half of each has the suffix `.pub`."""
    return KeyPaths(folder / f"{prefix}field.key", folder / f"{prefix}judge.key")


def share_public_halves(files: KeyPaths) -> None:
    """Copy the public halves of each key, also of replaced ones, to the folder of the other half's key.

    Raises:
        KeyFileError: One cannot be read or written.
    """
    if files.field.parent == files.judge.parent:
        return
    for own, other in ((files.field, files.judge.parent), (files.judge, files.field.parent)):
        for public in sorted(own.parent.glob(f"{public_path(own).name}*")):
            copy, text = other / public.name, _read(public, secret=False)
            if not copy.exists() or _read(copy, secret=False) != text:
                copy.unlink(missing_ok=True)
                _write(copy, text.rstrip("\n"), 0o644)


def load_trusted_keys(field_key: Path) -> tuple[str, ...]:
    """Return the verify keys of this table's log, in hexadecimal: the current one, then replaced ones."""
    return (load_public(public_path(field_key)), *load_replaced_keys(field_key))


def load_replaced_keys(field_key: Path) -> tuple[str, ...]:
    """Return the verify keys, in hexadecimal, of the signing keys that `field_key` has replaced."""
    today = public_path(field_key)
    return tuple(load_public(path) for path in sorted(today.parent.glob(f"{today.name}.old-*")))


def load_private_keys(judge_key: Path) -> tuple[PrivateKey, ...]:
    """Return the judge's private keys: the current one, then replaced ones whose rows are still stored."""
    replaced = sorted(judge_key.parent.glob(f"{judge_key.name}.old-*"))
    return tuple(load_private(path) for path in (judge_key, *replaced))
