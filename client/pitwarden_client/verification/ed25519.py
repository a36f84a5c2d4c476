"""Ed25519 signatures, checked by PyNaCl: the only file of the client that knows a cryptography library."""

from typing import Final

from nacl.exceptions import CryptoError
from nacl.signing import VerifyKey

SIGNATURE_BYTES: Final = 64


def is_valid_signature(public: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether the holder of `public` (32 bytes) signed `message`. A signature of another length is not valid."""
    if len(signature) != SIGNATURE_BYTES:
        return False
    try:
        VerifyKey(public).verify(message, signature)
    except CryptoError:
        return False
    return True
