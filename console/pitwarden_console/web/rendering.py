"""Templates and what they may call. Text of tables and people is data: every value is escaped."""

import hashlib
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.ext import InternationalizationExtension
from markupsafe import Markup

from pitwarden_console.site_time import SiteTime, day_title, duration
from pitwarden_console.web.languages.catalog import translations
from pitwarden_console.web.languages.choice import ENGLISH, LANGUAGES, language_of
from pitwarden_console.web.tones import tones

_SHAPES: Final[Mapping[int, str]] = {1: "\N{BLACK UP-POINTING TRIANGLE}", 2: "\N{BLACK SQUARE}", 3: "\N{BLACK CIRCLE}"}
_HOLLOW: Final[Mapping[int, str]] = {1: "\N{WHITE UP-POINTING TRIANGLE}", 2: "\N{WHITE SQUARE}", 3: "\N{WHITE CIRCLE}"}
_NAMES: Final[Mapping[int, str]] = {1: "stop", 2: "before the next round", 3: "see and note"}
_STATIC: Final[Mapping[str, str]] = {
    "console.css": "text/css; charset=utf-8",
    "live.js": "text/javascript; charset=utf-8",
    "sound.js": "text/javascript; charset=utf-8",
    "shift.js": "text/javascript; charset=utf-8",
    "passkey.js": "text/javascript; charset=utf-8",
    "presence.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_MADE_FROM: Final[Mapping[str, str]] = {"templates": ".html", "languages": ".po"}
"""Folders whose files are part of a page, and how their names end."""


class StaticFiles:
    """Files of the pages, in memory: no path of a request reaches the disk.

    `build` names all that a page is made of: these files, the templates and the catalogs of the languages. A page of
    another build asks for a reload, since new parts do not fit into its frame.
    """

    def __init__(self, web: Traversable | None = None) -> None:
        """Read the files of `web`, the folder of this package by default."""
        web = web or files("pitwarden_console.web")
        folder = web / "static"
        self.files: Mapping[str, tuple[bytes, str]] = {
            **{name: ((folder / name).read_bytes(), kind) for name, kind in _STATIC.items()},
            **{name: (sound, "audio/wav") for name, sound in tones().items()},
        }
        digest = hashlib.sha256(b"".join(body for body, _ in self.files.values()))
        for name, suffix in _MADE_FROM.items():
            for file in sorted((web / name).iterdir(), key=lambda one: one.name):
                if file.name.endswith(suffix):
                    digest.update(file.read_bytes())
        self.build = digest.hexdigest()[:16]


class Renderer:
    """Jinja templates with the site's time, in each language."""

    def __init__(self, time: SiteTime, site_title: str, build: str) -> None:
        self._environments = {language: environment(language) for language in LANGUAGES}
        for made in self._environments.values():
            made.globals.update(
                site_title=site_title, build=build, utc=time.utc, clock_text=time.clock, moment_text=time.moment,
                moment_utc=time.moment_utc,
                clock=lambda utc_ms: _both(time.clock(utc_ms), time.clock_utc(utc_ms)),
                moment=lambda utc_ms: _both(time.moment(utc_ms), time.moment_utc(utc_ms)),
                day_title=day_title, duration=duration, shapes=_SHAPES, hollow=_HOLLOW, priority_names=_NAMES,
            )  # fmt: skip

    def page(self, template: str, accepted: str = "", /, **values: object) -> str:
        """Return a complete page, in the language that `accepted` prefers (`Accept-Language`) if it is translated."""
        return self._environments[language_of(template, accepted)].get_template(template).render(**values)

    def part(self, macro: str, *values: object, language: str = ENGLISH) -> str:
        """Return what a macro of `parts.html` makes of `values`: all readers of one language share it."""
        module = self._environments[language].get_template("parts.html").module
        made: object = getattr(module, macro)(*values)
        return str(made)


def environment(language: str) -> Environment:
    """Return the templates in one language."""
    made = Environment(
        loader=PackageLoader("pitwarden_console.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[InternationalizationExtension],
    )
    known = translations(language)
    # Not in the newer style: that takes every sentence for markup, and one of them can quote an identity provider.
    made.install_gettext_callables(known.gettext, known.ngettext, newstyle=False)  # type: ignore[attr-defined]  # by the extension
    made.globals["language"] = language
    return made


def safe(html: str) -> Markup:
    """Return a part that a template has made, so that a page does not escape it again."""
    return Markup(html)  # noqa: S704  made by a template with autoescape


def _both(local: str, utc: str) -> Markup:
    """Return a local time with UTC behind it, which is seen where the reader chose it."""
    return Markup('{}<span class="in-utc"> ({})</span>').format(local, utc)
