"""A keypad's lamps (SPEC.md section 11): told when they change, and again and again, so that stale ones go dark."""

from typing import Final, get_args

from pitwarden_client.events.keypad import KEYS, CaseLamp, Lamps, PermitLamp

from pitwarden_drivers.tdp.wire_host import Show

EVERY_MS: Final = 2_000
HOLD_MS: Final = 6_000
NO_KEY: Final = 0xFF
_PERMITS: Final[tuple[PermitLamp, ...]] = get_args(PermitLamp)
_CASES: Final[tuple[CaseLamp, ...]] = get_args(CaseLamp)


class Shown:
    """What a keypad has to show, and when it has to be told again."""

    def __init__(self) -> None:
        self.wake_at: int | None = None
        self._lamps: Lamps | None = None

    def set(self, now: int, lamps: Lamps) -> None:
        """The lamps shall show this."""
        if lamps != self._lamps:
            self._lamps = lamps
            self.wake_at = now

    def again(self, now: int) -> None:
        """A device that was just identified shows nothing."""
        self.wake_at = None if self._lamps is None else now

    def due(self, now: int) -> Show | None:
        """The frame to send, when it is time."""
        if self._lamps is None or self.wake_at is None or now < self.wake_at:
            return None
        self.wake_at = now + EVERY_MS
        return frame_of(self._lamps)


def frame_of(lamps: Lamps) -> Show:
    """`lamps` as they go over the line."""
    key = NO_KEY if lamps.key is None else KEYS.index(lamps.key)
    return Show(_PERMITS.index(lamps.permit), _CASES.index(lamps.case), key, HOLD_MS)


def lamps_in(frame: Show) -> Lamps | None:
    """What a keypad makes of a frame; None for codes that are not in the list."""
    if frame.permit >= len(_PERMITS) or frame.case >= len(_CASES) or (frame.key >= len(KEYS) and frame.key != NO_KEY):
        return None
    key = None if frame.key == NO_KEY else KEYS[frame.key]
    return Lamps(_PERMITS[frame.permit], _CASES[frame.case], key)
