"""Cryptographic primitives of libsodium, through PyNaCl; no other file of the service imports it.

Signatures are checked by the client's `verification.ed25519`. Threat: a reader of the bus and of the disks.
"""

from functools import lru_cache
from typing import Final

import nacl.bindings as sodium
from nacl import exceptions, utils

KEY_BYTES: Final = 32
NONCE_BYTES: Final = sodium.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
TAG_BYTES: Final = sodium.crypto_aead_xchacha20poly1305_ietf_ABYTES
_HASH_PURPOSE_BYTES: Final = 16


class CryptoError(ValueError):
    """Ciphertext, key or signature did not verify.

    Policy: the caller knows the place and reports it.

    Example: a seal that was moved to another row.
    """


def random_bytes(size: int) -> bytes:
    """Return `size` unpredictable bytes from libsodium."""
    return utils.random(size)


def aead_seal(key: bytes, plain: bytes, context: bytes) -> bytes:
    """Return a random nonce and the XChaCha20-Poly1305 ciphertext of `plain`, bound to `context`."""
    # 24 random bytes do not repeat in practice, so no counter has to survive a restart.
    nonce = utils.random(NONCE_BYTES)
    return nonce + sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plain, context, nonce, key)


def aead_open(key: bytes, box: bytes, context: bytes) -> bytes:
    """Return what `aead_seal` sealed under the same key and context.

    Raises:
        CryptoError: It does not open.
    """
    if len(box) < NONCE_BYTES + TAG_BYTES:
        raise CryptoError(f"{len(box)} bytes are too short for a seal")
    nonce, ciphertext = box[:NONCE_BYTES], box[NONCE_BYTES:]
    try:
        return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(ciphertext, context, nonce, key)
    except exceptions.CryptoError as error:
        raise CryptoError("the seal does not open under this key and context") from error


def public_key_of(private: bytes) -> bytes:
    """Return the public key that belongs to the 32 private bytes of a judge."""
    return sodium.crypto_scalarmult_base(private)


def wrap(public: bytes, plain: bytes) -> bytes:
    """Return `plain` in an anonymous SealedBox for the holder of `public`.

    Raises:
        CryptoError: `public` is not a key.
    """
    try:
        return sodium.crypto_box_seal(plain, public)
    except exceptions.CryptoError as error:
        raise CryptoError("the recipient's public key is no key") from error


def unwrap(private: bytes, box: bytes) -> bytes:
    """Return what `wrap` wrapped for the holder of `private`.

    Raises:
        CryptoError: It does not open.
    """
    try:
        return sodium.crypto_box_seal_open(box, public_key_of(private), private)
    except exceptions.CryptoError as error:
        raise CryptoError("the wrapped key does not open with this private key") from error


def verify_key(seed: bytes) -> bytes:
    """Return the Ed25519 public key that belongs to the 32-byte signing seed."""
    public, _ = sodium.crypto_sign_seed_keypair(seed)
    return public


def sign(seed: bytes, message: bytes) -> bytes:
    """Return the 64-byte Ed25519 signature of `message`."""
    return sodium.crypto_sign(message, _signing_secret(seed))[: sodium.crypto_sign_BYTES]


@lru_cache(maxsize=8)
def _signing_secret(seed: bytes) -> bytes:
    """Return the expanded key of `seed`. Every commit is signed, and the expansion takes as long as the signature."""
    _, secret = sodium.crypto_sign_seed_keypair(seed)
    return secret


def derived_key(private: bytes, purpose: bytes) -> bytes:
    """Return a 32-byte key that only the holder of `private` can derive, one for each `purpose` of at most 16 bytes."""
    return sodium.crypto_generichash_blake2b_salt_personal(
        b"", digest_size=KEY_BYTES, key=private, person=purpose.ljust(_HASH_PURPOSE_BYTES, b"\0")
    )
