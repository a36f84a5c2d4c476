"""Base of every model on the bus: frozen, strict, without unknown fields, every number and string bounded."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

MAX_NUMBER = 2**53 - 1  # the largest integer that every JSON reader keeps exactly


class Record(BaseModel):
    """Frozen, strict record. An unknown key, a coerced type, NaN or infinity is a validation error."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="strings", validate_default=True
    )


Count = Annotated[int, Field(ge=0, le=9_999)]
"""Number of cards, boxes or decks, 0 to 9,999."""

Number = Annotated[int, Field(ge=0, le=MAX_NUMBER)]
"""Position in a log or a device's counter, 0 to 2**53 - 1."""

Millis = Annotated[int, Field(ge=0, le=MAX_NUMBER)]
"""Milliseconds, 0 to 2**53 - 1."""

Box = Annotated[int, Field(ge=1, le=7)]
"""Betting position, 1 at the dealer's left (13:69E-1.13V(a): at most seven)."""

Ident = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
"""Identifier that can be a topic segment."""

Text = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""Text of a person or a device: at most 500 characters, no control characters."""

Hex32 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""Thirty-two bytes in lower-case hexadecimal: a SHA-256, a commitment, a key."""

Base64 = Annotated[str, StringConstraints(max_length=1_024, pattern=r"^[A-Za-z0-9+/]*={0,2}$")]
"""Bytes in standard base64, at most 1,024 characters."""

Role = Literal["dealer", "floor", "supervisor"]
"""Role of a login at the broker, which decides the acts that it may send."""


class Position(Record):
    """Position in a table's log: an epoch and a number in it, from 1."""

    epoch: Ident
    number: Number
