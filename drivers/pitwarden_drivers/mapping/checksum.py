"""The common checksums of ASCII lines, over the bytes of the group `body`."""

import binascii
from functools import reduce
from operator import xor
from typing import Final, Literal

Kind = Literal["xor8", "sum8", "sum8-negated", "crc16-ccitt", "crc16-modbus"]
_MODBUS: Final = 0xA001


def checksum(kind: Kind, body: bytes) -> int:
    """The checksum of `body`: 8 bits for the first three kinds, 16 for the others."""
    match kind:
        case "xor8":
            return reduce(xor, body, 0)
        case "sum8":
            return sum(body) & 0xFF
        case "sum8-negated":
            return -sum(body) & 0xFF
        case "crc16-ccitt":
            return binascii.crc_hqx(body, 0xFFFF)
        case _:
            return reduce(_modbus, body, 0xFFFF)


def _modbus(value: int, byte: int) -> int:
    value ^= byte
    for _ in range(8):
        value = value >> 1 ^ (_MODBUS if value & 1 else 0)
    return value
