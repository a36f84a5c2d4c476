"""Where the metrics are read: nobody reads them without either this machine's permission or a certificate."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pitwarden.config.models import Metrics

_GUARDED: Final = ("host", "port", "cert", "key", "client_ca")
_LONGEST: Final = 107  # bytes; unix(7)


def wrong_with(metrics: Metrics | None, folder: Path) -> Iterator[tuple[str, str]]:
    """Each key of `[metrics]` that does not go with the others, and why; `folder` is the table file's."""
    if metrics is None:
        return
    given = [key for key in _GUARDED if getattr(metrics, key) is not None]
    missing = [key for key in _GUARDED if key not in given]
    if metrics.socket is not None:
        if given:
            yield given[0], "does not go with socket: metrics are read in one place"
        if len(str(folder / metrics.socket).encode()) > _LONGEST:
            yield "socket", f"is a longer path than a socket may have ({_LONGEST} bytes)"
    elif not given:
        yield "socket", "is missing: name a local socket, or host, port, cert, key and client_ca of a guarded port"
    elif missing:
        reason = "a port is opened only to readers who bring a certificate: host, port, cert, key and client_ca"
        yield from ((key, f"is missing; {reason}") for key in missing)


def absolute(metrics: Metrics, folder: Path) -> Metrics:
    """The same with its paths made absolute."""
    paths = {key: getattr(metrics, key) for key in ("socket", "cert", "key", "client_ca")}
    return metrics.model_copy(update={key: folder / path for key, path in paths.items() if path is not None})
