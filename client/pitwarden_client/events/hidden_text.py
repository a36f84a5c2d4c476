"""Characters that a screen does not show as they are: control, bidirectional and zero-width ones.

Threat: a note of a person that clears a terminal (U+009B), reads in another order than it is stored (U+202E), or
differs from another one by nothing that can be seen (U+200B). Unicode Technical Report 36 has the attacks.
"""

import re
from typing import Final

HIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, delete and C1
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # no width, or a blank that is a letter
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # no width, line ends, directions
    "\ufe00-\ufe0f\ufeff\ufff0-\ufffb"  # variants, the byte order mark, annotations
    "\U000e0000-\U000e0fff]"  # tags and further variants
)
"""Any character that is refused in a person's text and escaped on a screen."""


def find_hidden(text: str) -> str | None:
    """Return the first hidden character of `text` as in U+202E, or None."""
    found = HIDDEN.search(text)
    return None if found is None else f"U+{ord(found[0]):04X}"


def escape_hidden(text: str, keep: str = "") -> str:
    """Return `text` with every hidden character as JSON escapes it, by its number; those in `keep` stay."""
    return HIDDEN.sub(lambda found: found[0] if found[0] in keep else _escaped(found[0]), text)


def _escaped(letter: str) -> str:
    units = letter.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
