"""Retired words become fewer: in the documents and in the docstrings and comments of the code."""

from testkit.documents.wording import MOST_WORDS, allowed, counts, grown, long_sentences


def test_no_retired_word_becomes_more_frequent() -> None:
    assert grown(counts(), allowed()) == [], "write another word, or lower the limits: see testkit/documents/wording.py"


def test_one_more_is_named() -> None:
    assert grown({"code": {"anew": 2}}, {"code": {"anew": 1}}) == ["code: anew occurs 2 times, at most 1 are left"]
    assert grown({"code": {"anew": 1}}, {"code": {"anew": 1}}) == []
    assert grown({"documents": {"anew": 1}}, {}) != []


def test_a_sentence_that_is_too_long_is_counted() -> None:
    assert long_sentences("word " * (MOST_WORDS - 1) + "end. Short.") == 0
    assert long_sentences("word " * MOST_WORDS + "end. Short.") == 1
