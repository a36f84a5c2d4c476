"""Faces: 54 codes, each with one name."""

import pytest

from pitwarden_client.events.card_faces import FACES, JOKER, UNREAD, face_name, is_ten, parse_face, rank_of, suit_of


def test_every_face_has_one_name_and_comes_back() -> None:
    assert {parse_face(face_name(face)) for face in FACES} == FACES


def test_there_are_four_tens() -> None:
    assert sorted(face_name(face) for face in FACES if is_ten(face)) == ["10C", "10D", "10H", "10S"]


def test_special_faces_have_no_suit() -> None:
    assert (rank_of(JOKER), suit_of(JOKER), rank_of(UNREAD), suit_of(UNREAD)) == ("JKR", "", "??", "")
    assert (rank_of(parse_face("QH")), suit_of(parse_face("qh"))) == ("Q", "H")


@pytest.mark.parametrize("name", ["", "1S", "11S", "AX", "A"])
def test_what_is_no_card_is_refused_with_advice(name: str) -> None:
    with pytest.raises(ValueError, match="write rank and suit"):
        parse_face(name)


def test_a_code_that_is_no_face_is_refused_without_naming_it() -> None:
    with pytest.raises(ValueError, match="not a face code"):
        face_name(53)
