"""Checksums of serial protocols, 8 and 16 bits wide.

Makers name them differently: the exclusive or (`xor8`) is called BCC or LRC, the negated sum (`sum8-negated`) LRC. A
worked example of the device's manual decides.
"""

import binascii
from functools import reduce
from operator import xor
from typing import Final, Literal

ChecksumKind = Literal[
    "xor8", "sum8", "sum8-negated", "crc16-ccitt", "crc16-xmodem", "crc16-kermit", "crc16-modbus", "crc16-arc"
]

_WIDE: Final = "crc16"
_REFLECTED_8005: Final = 0xA001
_REFLECTED_1021: Final = 0x8408


def checksum(kind: ChecksumKind, body: bytes) -> int:
    """Return the checksum of `body`: 8 bits for the first three kinds, 16 for the others."""
    match kind:
        case "xor8":
            return reduce(xor, body, 0)
        case "sum8":
            return sum(body) & 0xFF
        case "sum8-negated":
            return -sum(body) & 0xFF
        case "crc16-ccitt":
            return binascii.crc_hqx(body, 0xFFFF)
        case "crc16-xmodem":
            return binascii.crc_hqx(body, 0)
        case "crc16-kermit":
            return _reflected(body, 0, _REFLECTED_1021)
        case "crc16-modbus":
            return _reflected(body, 0xFFFF, _REFLECTED_8005)
        case _:
            return _reflected(body, 0, _REFLECTED_8005)


def checksum_bytes(kind: ChecksumKind) -> int:
    """Return the width of the checksum in bytes."""
    return 2 if kind.startswith(_WIDE) else 1


def _reflected(body: bytes, value: int, polynomial: int) -> int:
    for byte in body:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (polynomial if value & 1 else 0)
    return value
