"""Catalogs in the form of GNU gettext, which translators' tools read: one file `LANGUAGE.po` for each language.

They are read as they are, so that no compiled copy can be older than its source.
"""

import ast
from collections.abc import Iterator, Mapping
from gettext import NullTranslations
from importlib.resources import files
from typing import Final

from pitwarden_console.web.languages.choice import ENGLISH

_KEYWORDS: Final = ("msgid_plural", "msgid", "msgstr[0]", "msgstr[1]", "msgstr")


class CatalogError(Exception):
    """A catalog is not valid. Policy: the console does not start; a test would have found it.

    Example: a line that is neither a comment, a keyword nor a quoted text.
    """


class Catalog(NullTranslations):
    """Translations of one language. A sentence that it lacks stays English."""

    def __init__(self, texts: Mapping[str, tuple[str, str]]) -> None:
        super().__init__()
        self.texts = texts
        """Singular and plural by English sentence; both are the same for a sentence without a plural."""

    def gettext(self, message: str) -> str:
        """Return the translation of `message`."""
        return self.texts.get(message, (message, message))[0]

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return the translation for `n`. English and German have the same two forms."""
        known = self.texts.get(msgid1)
        if known is None:
            return msgid1 if n == 1 else msgid2
        return known[0] if n == 1 else known[1]


def catalog(language: str) -> NullTranslations:
    """Return the catalog of a language; that of English is empty, since the pages are written in it.

    Raises:
        CatalogError: Its file is not valid.
    """
    if language == ENGLISH:
        return NullTranslations()
    text = (files("pitwarden_console.web.languages") / f"{language}.po").read_text(encoding="utf-8")
    return Catalog(dict(_entries(text)))


def fields_of(block: str) -> Mapping[str, str]:
    """Return the texts of one entry, by keyword.

    Raises:
        CatalogError: A line is not valid.
    """
    found: dict[str, str] = {}
    keyword = ""
    for line in block.splitlines():
        if not line or line.startswith("#"):
            continue
        named = next((each for each in _KEYWORDS if line.startswith(f"{each} ")), "")
        quoted = line.removeprefix(named).strip()
        keyword = named or keyword
        if not keyword or not quoted.startswith('"') or not quoted.endswith('"'):
            raise CatalogError(f"{line}: neither a comment, a keyword nor a quoted text")
        found[keyword] = found.get(keyword, "") + str(ast.literal_eval(quoted))
    return found


def _entries(text: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each English sentence with its two forms."""
    for block in text.split("\n\n"):
        found = fields_of(block)
        singular = found.get("msgstr", found.get("msgstr[0]", ""))
        if found.get("msgid") and singular:
            yield found["msgid"], (singular, found.get("msgstr[1]", singular))
