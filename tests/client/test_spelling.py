"""The word that a refusal suggests: a slip of two letters first, then what is most similar."""

import pytest

from pitwarden_client.spelling import nearest, nearest_hint

SECTIONS = ("name", "family", "ask", "ack", "poll", "framing", "checksum", "event", "every_ms", "written")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("akc", "ack"),
        ("aks", "ask"),
        ("plol", "poll"),
        ("asc", "ask"),
        ("freming", "framing"),
        ("checksm", "checksum"),
        ("evvent", "event"),
        ("check", "checksum"),
        ("writ", "written"),
        ("nothing-like-it", None),
        ("", None),
    ],
)
def test_letters_in_the_wrong_order_go_before_other_letters(word: str, meant: str | None) -> None:
    assert nearest(word, SECTIONS) == meant
    assert nearest(word, reversed(SECTIONS)) == meant


@pytest.mark.parametrize("word", SECTIONS)
def test_each_pair_of_letters_in_the_wrong_order_is_seen_through(word: str) -> None:
    swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}
    assert {nearest(slip, SECTIONS) for slip in swapped - {word}} == {word}


def test_a_similarity_that_is_asked_for_is_kept() -> None:
    assert nearest("akc", SECTIONS, 0.7) is None
    assert nearest("pile", SECTIONS, 0.5) == "poll"
    assert nearest("pile", SECTIONS) is None


def test_a_hint_ends_a_sentence_in_the_form_of_what_is_written() -> None:
    assert nearest_hint("akc", SECTIONS) == " (did you mean ack?)"
    assert nearest_hint("akc", SECTIONS, "[{}]") == " (did you mean [ack]?)"
    assert nearest_hint("xyz", SECTIONS) == ""
