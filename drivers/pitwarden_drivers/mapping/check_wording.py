"""Words for a line or frame whose checksum does not agree, for whoever writes its map: computed and received."""

from pitwarden_drivers.mapping.frames import FrameRejected
from pitwarden_drivers.mapping.link_rules import FrameCheckRule, FramingRule
from pitwarden_drivers.mapping.matcher import LineMatcher


def wrong_line_sum(reading: LineMatcher, line: str) -> str:
    """Return the checksum that was computed for `line` and the one that it has, or that it has none."""
    sums = reading.sums(line)
    if sums is None:
        return "no body and checksum as the pattern of [checksum] asks"
    computed, received = sums
    return f"computed {computed}, received {received}"


def wrong_frame_check(framing: FramingRule, frame: FrameRejected) -> str:
    """Return the check that was computed for `frame` and the one that it has, or that it is damaged otherwise."""
    if framing.check is None or frame.computed is None or frame.received is None:
        return "torn, too long, or no printable ASCII in its body"
    return f"computed {_shown(framing.check, frame.computed)}, received {_shown(framing.check, frame.received)}"


def _shown(rule: FrameCheckRule, check: bytes) -> str:
    """Return the bytes of a check in hexadecimal, and the digits that they spell where they are digits."""
    if not check:
        return "none"
    digits = check.hex(" ").upper()
    return f"{digits} ('{check.decode('ascii', 'backslashreplace')}')" if rule.written == "hex" else digits
