"""What a screen does not show as it is, is found and escaped, and nothing else is."""

import json
import unicodedata

import pytest

from pitwarden_client.events.hidden_text import escape_hidden, find_hidden


@pytest.mark.parametrize("code", [0x00, 0x1B, 0x7F, 0x9B, 0xAD, 0x61C, 0x200B, 0x200D, 0x202E, 0x2066, 0xFEFF, 0xE0041])
def test_it_is_found_and_escaped_as_json_does(code: int) -> None:
    text = f"seat{chr(code)}3"
    assert find_hidden(text) == f"U+{code:04X}"
    escaped = escape_hidden(text)
    assert find_hidden(escaped) is None
    assert escaped.isascii()
    assert json.loads(f'"{escaped}"') == text


def test_every_character_that_formats_or_controls_is_hidden() -> None:
    hidden = {chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in {"Cc", "Cf", "Zl", "Zp"}}
    # Visible signs of Arabic, Kaithi, Egyptian and musical texts, and of a shorthand: they have a shape or a place.
    seen = {letter for letter in hidden if find_hidden(letter) is None}
    assert all("\u0600" <= letter <= "\u08e2" or letter >= "\U000110bd" for letter in seen)
    assert hidden - seen > set("\u202a\u2069\u200e")


def test_what_people_write_stays() -> None:
    for text in ("José Núñez, box 3", "Θεσσαλονίκη", "田中 様", "40 € “void”", "نادر", "👍"):
        assert (find_hidden(text), escape_hidden(text)) == (None, text)
    assert escape_hidden("one\ntwo\x9b", keep="\n") == "one\ntwo\\u009b"
