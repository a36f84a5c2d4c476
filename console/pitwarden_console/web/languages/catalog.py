"""Catalogs in the form of GNU gettext, which translators' tools read: one file `LANGUAGE.po` for each language.

They are compiled in memory, so that no compiled copy can be older than its source.
"""

from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO

from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from pitwarden_console.web.languages.choice import ENGLISH


def read_catalog(language: str) -> Catalog:
    """Return the catalog of a language as its file has it.

    Raises:
        babel.messages.pofile.PoFileError: The file is not valid, which a test would have found.
    """
    text = (files("pitwarden_console.web.languages") / f"{language}.po").read_bytes()
    return read_po(BytesIO(text), locale=language, abort_invalid=True)


def translations(language: str) -> NullTranslations:
    """Return the translations into a language; a sentence that its catalog lacks stays English, as do all in English.

    Raises:
        babel.messages.pofile.PoFileError: The catalog's file is not valid.
    """
    if language == ENGLISH:
        return NullTranslations()
    compiled = BytesIO()
    write_mo(compiled, read_catalog(language))
    compiled.seek(0)
    return GNUTranslations(compiled)
