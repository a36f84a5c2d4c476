"""Settings of the documentation build: Sphinx with MyST Markdown, strict, and without any request to another host.

The build reads an assembled copy of this folder, in which the generated pages stand next to the written ones; see
`_generate/__main__.py` and `./run docs`.
"""

from importlib.metadata import version as distribution_version
from typing import TYPE_CHECKING, Final

from pygments.lexers.special import TextLexer

if TYPE_CHECKING:
    from sphinx.application import Sphinx


project = "pitwarden"
author = "pitwarden"
release = version = distribution_version("pitwarden")
copyright = "the authors of pitwarden, Apache-2.0"  # noqa: A001  the name is Sphinx's

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]

source_suffix = {".md": "markdown"}
exclude_patterns = ["README.md", "_generate", "**/_*"]

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "fieldlist", "substitution"]
myst_substitutions = {"release": release}
# Links such as `page.md#a-heading` are checked down to the fourth level.
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"pitwarden {release}"
html_show_sourcelink = False
# Prompts are not part of a command.
copybutton_prompt_text = "$ "

# The docstrings of the code are written with Markdown's single back quotes.
default_role = "code"
napoleon_numpy_docstring = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# Names of other projects cannot be resolved without a network; our own must resolve.
nitpick_ignore_regex = [("py:.*", r".*")]

man_pages = [
    ("reference/overview", "pitwarden", "supervision of casino gaming tables", [author], 7),
    ("reference/table-file", "pitwarden-table", "table file of pitwarden", [author], 5),
    ("reference/map-file", "pitwarden-map", "map file of a line-oriented device", [author], 5),
    ("reference/scenario-language", "pitwarden-scenario", "scenario file of pitwarden", [author], 5),
    ("how-to/technician/respond-to-alarms", "pitwarden-alarms", "faults and alarms with their remedies", [author], 7),
    ("reference/tdp", "pitwarden-tdp", "Table Device Protocol", [author], 7),
    ("reference/service", "pitwarden-table@.service", "service of one gaming table", [author], 8),
]
man_show_urls = False

# Fence languages of the pages that Pygments does not know: scenarios, and what a command prints.
PLAIN_LANGUAGES: Final = ("scn", "output")


def setup(app: "Sphinx") -> None:
    """Register the fence languages that are shown without highlighting."""
    for language in PLAIN_LANGUAGES:
        app.add_lexer(language, TextLexer)
