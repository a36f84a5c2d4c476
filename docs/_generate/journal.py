"""The page of the journal format: files, tables, hashes, signatures, layouts."""

import re
from typing import Final

from _generate.markdown import page
from pitwarden.journal import field_store, judge_store

_STATEMENT: Final = re.compile(r"^(CREATE .*?;)$", re.DOTALL | re.MULTILINE)


def journal_format() -> str:
    """Return the page of the journal format."""
    return page(
        "Journal format",
        "A journal is an SQLite file in write-ahead mode. The field half writes `field.sqlite`, the judge half "
        "`judge.sqlite`. `pitwarden journal verify` checks both without the service.",
        "## Identification",
        f"`application_id` is `{field_store.APPLICATION:#010x}` for the journal of a field half and "
        f"`{judge_store.APPLICATION:#010x}` for that of a judge half. `user_version` is the layout. Newer code reads "
        "older layouts; a newer layout is rejected with exit code 78.",
        "## Hash chain",
        "`hash` is the SHA-256 of the exact bytes in `body`, which are the bytes that were "
        "published. `prevhash` inside "
        "a row is the hash of the row before it; the first row of a first epoch has 64 zeros. "
        "Outputs of the judge half "
        "form a chain of their own.",
        "## Signatures",
        "The first row of an epoch and every announced sealing key carry an Ed25519 signature of the field half. "
        "Checkpoints are signed statements that a row is part of the log, that the log was trimmed up to it, or that "
        "the log ends there.",
        "## Tables of the field half",
        f"```sql\n{_statements(field_store.SCHEMA, field_store.ADDED)}\n```",
        "## Tables of the judge half",
        f"```sql\n{_statements(judge_store.SCHEMA, judge_store.ADDED)}\n```",
        "Bodies in `received` are sealed rows as they arrived; `snapshot.box` is sealed to the judge's own key.",
    )


def _statements(*schemas: str) -> str:
    return "\n".join(found for schema in schemas for found in _STATEMENT.findall(schema))
