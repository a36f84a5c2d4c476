"""Redaction of texts that leave the house: keys and passwords, faces of cards, persons.

Threat: a log line or an error that quotes what it must not. So every text is searched, also those that hold no secret
by design, and the secrets of this controller are searched by their value.
"""

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# Shorter texts are also words of honest sentences.
_LEAST_SECRET: Final = 8
# Bytes read of a file whose content must not be in a bundle. A key or a password is far shorter.
_MAX_SECRET_FILE: Final = 65_536
_PEM: Final = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_LOGIN: Final = re.compile(r"(://)[^/\s@]+@")
_PASSWORD: Final = re.compile(r"(?i)(passw(?:or)?d\b[\"']?\s*[=:]\s*[\"']?)(?!null\b)[^\s\"',}]+")
_FACE: Final = re.compile(r"\b(?:(?:10|[2-9JQKA])[CDHS]|JKR)\b")
_PERSON: Final = re.compile(
    r"""(?i)(\b(?:person|witness|by)\b[\\"']*\s*[=:]\s*)(?:[\\"']+[^\\"'\n]*[\\"']+|[^\s,}\\"']+)"""
)


@dataclass(frozen=True, slots=True)
class Redaction:
    """Redaction of one controller: `secrets` are values to search for, `names` persons of its configuration."""

    secrets: tuple[str, ...]
    names: tuple[str, ...] = ()
    with_persons: bool = False

    def __repr__(self) -> str:
        """Return no secret."""
        return f"Redaction({len(self.secrets)} secrets)"

    def apply(self, text: str) -> str:
        """Return `text` without secrets, faces and, unless asked for, persons."""
        for secret in self.secrets:
            text = text.replace(secret, "(secret)")
        text = _PEM.sub("(secret)", text)
        text = _LOGIN.sub(r"\1(secret)@", text)
        text = _PASSWORD.sub(r"\1(secret)", text)
        text = _FACE.sub("(card)", text)
        if self.with_persons:
            return text
        for name in self.names:
            text = text.replace(name, "(person)")
        return _PERSON.sub(r'\1"(person)"', text)


def secrets_of(files: Iterable[Path]) -> tuple[str, ...]:
    """Return the secrets in `files` in every form in which a text can show them, longest first.

    A file that is not there or cannot be read holds no secret of this process.
    """
    found: set[str] = set()
    for file in files:
        try:
            data = file.read_bytes()[:_MAX_SECRET_FILE]
        except OSError:
            continue
        found |= _forms(data)
    return tuple(sorted(found, key=lambda one: (-len(one), one)))


def _forms(data: bytes) -> set[str]:
    text = data.decode("utf-8", "replace")
    plain = {text.strip(), *(line.strip() for line in text.splitlines() if not line.startswith("-----"))}
    raw = {data, data.strip(), *_decoded_hex(text)}
    coded = {
        form(one).decode("ascii") for one in raw if one for form in (_hex, base64.b64encode, base64.urlsafe_b64encode)
    }
    coded |= {one.upper() for one in plain | coded if re.fullmatch("[0-9a-f]+", one)}
    return {one for one in plain | coded if len(one) >= _LEAST_SECRET}


def _decoded_hex(text: str) -> set[bytes]:
    """Return the bytes of a key that is written in hexadecimal."""
    digits = text.strip()
    return {bytes.fromhex(digits)} if re.fullmatch("(?:[0-9a-fA-F]{2})+", digits) else set()


def _hex(data: bytes) -> bytes:
    return data.hex().encode("ascii")
