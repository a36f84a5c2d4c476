"""Retired words and how often they still occur, in the documents and in the code's docstrings and comments.

The words are those of the project's word list that have no proper use here. `tests/docs/wording.toml` holds how often
each is left; the numbers may only shrink. `python -m testkit.documents.wording` lowers them to what is there now.
"""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[4]
ALLOWED: Final = ROOT / "tests" / "docs" / "wording.toml"
CODE: Final = ("daemon", "client", "console", "drivers", "simulators", "tools", "docs")
# Pages whose words are counted elsewhere: quotations of messages, names and comments of the code.
NOT_OURS: Final = frozenset({
    "docs/reference/messages.md", "docs/reference/limits.md", "docs/reference/imports.md",
    "docs/reference/checks.md", "docs/how-to/floor/clear-an-irregularity.md",
})  # fmt: skip

RETIRED: Final[Mapping[str, str]] = {
    "say": r"says?|said|saying|tells?|told|telling",
    "hear": r"hears?|heard|heeds?|heeded",
    "look": r"looks?(?! up)|looked|looking",
    "believe": r"believes?|believed",
    "nobody": r"nobody|somebody",
    "stranger": r"strangers?|strange",
    "twin": r"twins?",
    "shelf": r"shelf|shelves",
    "desk": r"desks?",
    "poke": r"pokes?|poked",
    "mend": r"mends?|mended|mending",
    "trouble": r"troubles?",
    "anew": r"anew",
    "for ever": r"for ever",
    "gone": r"gone",
    "fell": r"fell|falls over",
    "wish": r"wish|wishes|wished",
    "want": r"wants?|wanted",
    "thing": r"things?",
    "reckon": r"reckons?|reckoned",
    "hang on": r"hangs? on|hung on",
    "bear": r"bears?|bearing",
    "beside": r"beside",
    "let in": r"lets? in",
    "go on": r"goes on|go on|went on|going on",
    "cannot be had": r"cannot be had",
    "adversary": r"adversary|adversaries",
    "may not": r"may not",
    "simply": r"simply|of course",
}
"""Retired word, and the pattern of its forms."""

MOST_WORDS: Final = 30
SUMMARY: Final = re.compile(r"(?:What|Who|Whoever|Whose|How|Whether)\b")
_PATTERNS: Final = {word: re.compile(rf"\b(?:{forms})\b", re.IGNORECASE) for word, forms in RETIRED.items()}
_FENCE: Final = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE_SPAN: Final = re.compile(r"`[^`\n]*`")
# Headings, targets and tables are no sentences.
_LAYOUT: Final = re.compile(r"^(?:#.*|\(\S+\)=|\|.*)$", re.MULTILINE)
_COMMENT: Final = re.compile(r"(?:^|  )#.*$", re.MULTILINE)


def counts() -> dict[str, dict[str, int]]:
    """Return how often each retired word occurs, by `documents`, `code` and `summaries`."""
    documents, code, summaries = Counter[str](), Counter[str](), Counter[str]()
    for file in _pages():
        text = _CODE_SPAN.sub(" ", _FENCE.sub(" ", file.read_text(encoding="utf-8")))
        documents.update(_found(text))
        documents["long sentence"] += long_sentences(_LAYOUT.sub("", text))
    for docstrings, comments in _modules():
        code.update(_found("\n".join((*docstrings, comments))))
        summaries["long sentence"] += sum(map(long_sentences, docstrings))
        summaries["question"] += sum(SUMMARY.match(one) is not None for one in docstrings)
    return {"documents": dict(documents), "code": dict(code), "summaries": dict(summaries)}


def allowed() -> dict[str, dict[str, int]]:
    """Return how often each may still occur."""
    return tomllib.loads(ALLOWED.read_text(encoding="utf-8"))


def grown(found: Mapping[str, Mapping[str, int]], limit: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return a sentence for each word that occurs more often than it may."""
    return [
        f"{place}: {word} occurs {number} times, at most {limit.get(place, {}).get(word, 0)} are left"
        for place, words in found.items()
        for word, number in words.items()
        if number > limit.get(place, {}).get(word, 0)
    ]


def lower(found: Mapping[str, Mapping[str, int]]) -> None:
    """Write what is there now as the new limit."""
    lines = ["# How often each retired word is left; see testkit/documents/wording.py. The numbers may only shrink."]
    for place, words in found.items():
        lines += ["", f"[{place}]", *(f'"{word}" = {number}' for word, number in sorted(words.items()) if number)]
    ALLOWED.write_text("\n".join(lines) + "\n", encoding="utf-8")


def long_sentences(text: str) -> int:
    """Return how many sentences have more words than a reader follows."""
    sentences = re.split(r"(?<=[.!?:;])\s|\n\s*\n|\n\s*[-|]", text)
    return sum(len(one.split()) > MOST_WORDS for one in sentences)


def _found(text: str) -> Counter[str]:
    return Counter({word: len(pattern.findall(text)) for word, pattern in _PATTERNS.items()})


def _pages() -> Iterator[Path]:
    for file in (*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))):
        if str(file.relative_to(ROOT)) not in NOT_OURS:
            yield file


def _modules() -> Iterator[tuple[list[str], str]]:
    for folder in CODE:
        for file in sorted((ROOT / folder).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            yield list(_strings(ast.parse(text))), "\n".join(_COMMENT.findall(text))


def _strings(tree: ast.Module) -> Iterator[str]:
    """Yield docstrings, those of attributes included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


if __name__ == "__main__":
    lower(counts())
