"""Child process that makes a PDF of a page: HTML on standard input, PDF on standard output.

Threat: a text of a table that makes the layout fetch a file or an address, or never end. Nothing is fetched, and memory
and time are limited before the library is loaded.
"""

import resource
import sys
from typing import Final

# Memory of the process in bytes: 400 rows on 29 pages took 99 MB, and the libraries map much more than they use.
MAX_MEMORY: Final = 2_000_000_000
PANGO: Final = "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
"""Debian's packages of the libraries that lay out text."""

# Seconds of processor time: 29 pages took 2.3 s.
MAX_SECONDS: Final = 30


def main() -> None:
    """Read, lay out, and write."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    try:
        from weasyprint import HTML  # noqa: PLC0415  after the limits
        from weasyprint.urls import URLFetcher  # noqa: PLC0415  as above
    except OSError as error:  # a library that no wheel contains
        sys.exit(f"{error}: apt-get install {PANGO}")

    # No protocol at all: what a page refers to stays empty.
    page = HTML(string=sys.stdin.buffer.read().decode(), url_fetcher=URLFetcher(allowed_protocols=()))
    sys.stdout.buffer.write(page.write_pdf(pdf_variant="pdf/ua-1"))


if __name__ == "__main__":
    main()
