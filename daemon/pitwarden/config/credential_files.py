"""Files with the credentials of a table's logins: passwords and TLS keys, for the broker, the metrics and the database.

The keys of the table itself are in `storage.keys`.
"""

from collections.abc import Iterator
from pathlib import Path

from pitwarden.config.models import TableFile


def credential_files(table: TableFile) -> Iterator[Path]:
    """Yield each password file and TLS key that the table file names, whether it is there or not."""
    sections = (table.broker, table.metrics, table.judge_group)
    for section in sections:
        named = (getattr(section, key, None) for key in ("password_file", "key"))
        yield from (path for path in named if path is not None)
