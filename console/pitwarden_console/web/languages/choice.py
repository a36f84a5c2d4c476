"""Language of a page: the one that the browser prefers among ours, where the page is translated; else English."""

from typing import Final

ENGLISH: Final = "en"
LANGUAGES: Final = (ENGLISH, "de")
TRANSLATED: Final = frozenset(
    {"again.html", "history.html", "sign_in.html", "signed_in.html", "signed_out.html", "table.html"}
)
"""Templates of which every sentence is in every catalog. A page is in one language, but for what a table publishes."""
# Characters of the header that are read: browsers send some tens.
_MAX_HEADER: Final = 200


def preferred(accepted: str) -> str:
    """Return the language of ours that the header `Accept-Language` prefers; English without one (RFC 9110, 12.5.4)."""
    weighted = []
    for place, part in enumerate(accepted[:_MAX_HEADER].split(",")):
        name, _, weight = part.partition(";")
        language = name.strip().partition("-")[0].lower()
        quality = _quality(weight.strip())
        if language in LANGUAGES and quality > 0:
            weighted.append((-quality, place, language))
    return min(weighted)[2] if weighted else ENGLISH


def language_of(template: str, accepted: str) -> str:
    """Return the language in which `template` is rendered for a browser that accepts `accepted`."""
    return preferred(accepted) if template in TRANSLATED else ENGLISH


def _quality(weight: str) -> float:
    """Return the quality of a part, 0 to 1; 0 for what is no number."""
    if not weight:
        return 1.0
    try:
        quality = float(weight.removeprefix("q="))
    except ValueError:
        return 0.0
    return quality if 0 <= quality <= 1 else 0.0
