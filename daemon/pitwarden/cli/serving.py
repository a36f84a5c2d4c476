"""The service as a process of its own: what is set up around it, and the exit codes of what stops it."""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine

from pitwarden.cli.process_meter import process_meter
from pitwarden.cli.table_file import EX_CONFIG
from pitwarden.journal.errors import JournalError, JournalVersionError
from pitwarden.metrics.meter import Meter
from pitwarden.seal.errors import KeyFileError
from pitwarden.system import logging_setup
from pitwarden.system.process import forbid_core_dumps
from pitwarden.system.service_manager import Notifier, from_environment


def serve(service: Callable[[Notifier, Meter], Coroutine[None, None, int]], *, log_level: str, keys: str = "") -> int:
    """0 when asked to stop, 78 when a key or a journal's version is refused, 1 on another fault of a journal.

    `keys`: what mends a key file that is refused, if one thing always does.
    """
    forbid_core_dumps()
    notifier = from_environment(os.environ)
    writer = logging_setup.set_up(level=log_level)
    try:
        return asyncio.run(service(notifier, process_meter(writer)))
    except KeyFileError as error:
        print(f"{error}{keys and f' ({keys})'}", file=sys.stderr)  # noqa: T201  the sentence names the file
        return EX_CONFIG
    except JournalVersionError as error:
        print(error, file=sys.stderr)  # noqa: T201  the sentence says which version is wanted
        return EX_CONFIG
    except JournalError as error:
        print(error, file=sys.stderr)  # noqa: T201  the sentence names the file and what to do
        return 1
    finally:
        notifier.close()
        writer.close()
