"""Tables of the store, the same for SQLite and PostgreSQL. Instants are UTC milliseconds.

Rows and outputs hold the exact bytes that a table published, next to what is indexed of them. Nothing deletes them, and
only one change is made: numbers of persons become pseudonyms after the house's time. Then `pseudonymized_hash` is the
hash of the changed bytes, and `hash` remains the one with which they arrived. `incident` is a projection of the
outputs, which `rebuild` computes again from their bytes. Views of figures for report programs are made by migration
0013 and are not listed here.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_IDENT = String(64)
_HASH = String(64)
_TEXT = String(500)
# SQLite numbers a primary key by itself only when its type is INTEGER.
_SERIAL = BigInteger().with_variant(Integer, "sqlite")

gaming_table = Table(
    "gaming_table",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("site", _IDENT, nullable=False),
    Column("name", _IDENT, nullable=False),
    Column("simulated", Boolean, nullable=False, default=False),
    Column("cursor", Text, nullable=False, default=""),
    Column("outputs_chain", Integer, nullable=False, default=0),
    UniqueConstraint("site", "name"),
)
"""A table. `cursor` is the client's position, committed with what was read up to it. `outputs_chain` counts the breaks
of the chain of outputs: after one, the same output number can occur again."""

log_row = Table(
    "log_row",
    metadata,
    Column("id", _SERIAL, primary_key=True),
    Column("table_id", Integer, ForeignKey("gaming_table.id"), nullable=False),
    Column("epoch", _IDENT, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("day", Date, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("log_ms", BigInteger),
    Column("received_ms", BigInteger, nullable=False),
    Column("kind", _IDENT, nullable=False),
    Column("source", _IDENT, nullable=False),
    Column("person", _IDENT),
    Column("simulated", Boolean, nullable=False),
    Column("hash", _HASH, nullable=False),
    Column("prevhash", _HASH, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("pseudonymized_hash", _HASH),
    UniqueConstraint("table_id", "epoch", "number"),
    Index("ix_log_row_person_at", "person", "at_ms"),
    Index("ix_log_row_table_at", "table_id", "at_ms"),
)
"""Rows of the logs. `kind` is the act of an input, else the kind of the row; `at_ms` is the table's UTC, `received_ms`
ours."""

judge_output = Table(
    "judge_output",
    metadata,
    Column("id", _SERIAL, primary_key=True),
    Column("table_id", Integer, ForeignKey("gaming_table.id"), nullable=False),
    Column("chain", Integer, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("epoch", _IDENT, nullable=False),
    Column("row", BigInteger, nullable=False),
    Column("day", Date, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("received_ms", BigInteger, nullable=False),
    Column("kind", _IDENT, nullable=False),
    Column("ref", _IDENT),
    Column("catalogue", _TEXT),
    Column("status", _IDENT),
    Column("by", _IDENT),
    Column("rules_version", _TEXT),
    Column("profile_digest", _HASH),
    Column("proved", Boolean),
    Column("simulated", Boolean, nullable=False),
    Column("hash", _HASH, nullable=False),
    Column("prevhash", _HASH, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("pseudonymized_hash", _HASH),
    UniqueConstraint("table_id", "chain", "number"),
    Index("ix_judge_output_ref", "table_id", "ref", "id"),
    Index("ix_judge_output_at", "table_id", "at_ms"),
)
"""Outputs of the judges. `proved`: whether a reveal matched its commitment, null where that was not checked."""

chain_break = Table(
    "chain_break",
    metadata,
    Column("id", _SERIAL, primary_key=True),
    Column("table_id", Integer, ForeignKey("gaming_table.id"), nullable=False),
    Column("chain", String(8), nullable=False),
    Column("reason", _TEXT, nullable=False),
    Column("received_ms", BigInteger, nullable=False),
    Column("epoch", _IDENT),
    Column("row", BigInteger),
    Column("output", BigInteger, nullable=False),
    Index("ix_chain_break_table", "table_id", "received_ms"),
)
"""Breaks of a chain that the client reported, with the position after which items are missing."""

_OPEN = text("ended_ms IS NULL")
_OVERDUE = text("overdue_ms IS NOT NULL")

incident = Table(
    "incident",
    metadata,
    Column("id", _SERIAL, primary_key=True),
    Column("table_id", Integer, ForeignKey("gaming_table.id"), nullable=False),
    Column("ref", _IDENT, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("catalogue", _TEXT, nullable=False),
    Column("clauses", Text, nullable=False),
    Column("verdicts", _TEXT, nullable=False),
    Column("priority", SmallInteger, nullable=False),
    Column("status", _IDENT, nullable=False),
    Column("actor", _IDENT, nullable=False),
    Column("sentence", _TEXT, nullable=False),
    Column("day", Date, nullable=False),
    Column("opened_ms", BigInteger, nullable=False),
    Column("opened_epoch", _IDENT, nullable=False),
    Column("opened_row", BigInteger, nullable=False),
    Column("acknowledged_ms", BigInteger),
    Column("acknowledged_by", _IDENT),
    Column("ended_ms", BigInteger),
    Column("ended_by", _IDENT),
    Column("round", Integer),
    Column("deck", _IDENT),
    Column("device", _TEXT),
    Column("box", Integer),
    Column("simulated", Boolean, nullable=False),
    Column("last_output", BigInteger, nullable=False),
    Column("unseen", Boolean, nullable=False, server_default=false()),
    Column("overdue_ms", BigInteger),
    UniqueConstraint("table_id", "ref"),
    Index("ix_incident_table_opened", "table_id", "opened_ms"),
    Index("ix_incident_day_catalogue", "day", "catalogue"),
    Index("ix_incident_opened", "opened_ms"),
    Index("ix_incident_open", "opened_ms", sqlite_where=_OPEN, postgresql_where=_OPEN),
    Index("ix_incident_acknowledged", "acknowledged_by", "day"),
    Index("ix_incident_ended", "ended_by", "day"),
    Index("ix_incident_table_ended", "table_id", "ended_ms", "opened_ms"),
    Index("ix_incident_overdue", "overdue_ms", sqlite_where=_OVERDUE, postgresql_where=_OVERDUE),
    Index(
        "ix_incident_unseen", "simulated", "opened_ms",
        sqlite_where=text("unseen IS 1"), postgresql_where=text("unseen IS true"),
    ),
)  # fmt: skip
"""One line for each irregularity and duty, from its opening to its end. `unseen`: it ended without an acknowledgment
and without an act of a person, and no one has reviewed it. `overdue_ms`: when a duty became overdue."""

account = Table(
    "account",
    metadata,
    Column("id", _SERIAL, primary_key=True),
    Column("login", _IDENT, nullable=False, unique=True),
    Column("name", _TEXT, nullable=False),
    Column("person", _IDENT, nullable=False, unique=True),
    Column("role", _IDENT, nullable=False),
    Column("password", _TEXT, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("closed_ms", BigInteger),
    Column("pin", _TEXT),
    Column("pin_failures", Integer, nullable=False, server_default="0"),
    Column("subject", _TEXT),
    Column("withdrawn_ms", BigInteger),
    Index("ix_account_subject", "subject", unique=True),
)
"""Accounts. `password` and `pin` are Argon2id hashes with their parameters; the hash of no password is empty. `subject`
is the person's name at the identity provider. `pin_failures` counts wrong PINs since the last right sign-in.
`withdrawn_ms` is when the provider took the last group with a role away; null again once it states one."""

session = Table(
    "session",
    metadata,
    Column("id", _SERIAL, primary_key=True),
    Column("account_id", _SERIAL, ForeignKey("account.id"), nullable=False),
    Column("token", _HASH, nullable=False, unique=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger),
    Column("method", _IDENT, nullable=False, server_default="password"),
    Column("address", _IDENT, nullable=False, server_default=""),
    Column("touched_ms", BigInteger),
    Column("ended_by", _IDENT),
    Index("ix_session_account", "account_id", "created_ms"),
)
"""Sessions. `token` is the SHA-256 of the cookie's token, `touched_ms` when the person last did something, `ended_by`
who ended it: the person, or an administrator."""

passkey = Table(
    "passkey",
    metadata,
    Column("id", _SERIAL, primary_key=True),
    Column("account_id", _SERIAL, ForeignKey("account.id"), nullable=False),
    Column("credential", String(1400), nullable=False, unique=True),
    Column("public_key", LargeBinary, nullable=False),
    Column("sign_count", BigInteger, nullable=False),
    Column("label", _IDENT, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("used_ms", BigInteger),
    Column("removed_ms", BigInteger),
    Column("removed_by", _IDENT),
    Index("ix_passkey_account", "account_id"),
)
"""Passkeys. `credential` is the id of a WebAuthn credential in base64url. One that was removed is kept, and never
accepted again."""

audit_entry = Table(
    "audit_entry",
    metadata,
    Column("id", _SERIAL, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
    Column("kind", _IDENT, nullable=False),
    Column("person", _IDENT, nullable=False),
    Column("input_id", _IDENT),
    Column("hash", _HASH, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("pseudonymized_hash", _HASH),
    Index("ix_audit_entry_at", "at_ms"),
    Index("ix_audit_entry_person", "person", "at_ms"),
    Index("ix_audit_entry_input", "input_id"),
)
"""Audit of the console: exact bytes of each entry, which contain the hash of the one before it."""

pseudonym_mark = Table(
    "pseudonym_mark",
    metadata,
    Column("of", _IDENT, primary_key=True),
    Column("last_id", BigInteger, nullable=False),
)
"""Progress of the pseudonyms in each table `of` rows: up to `last_id` all of them were old enough, and have theirs."""

shelf = Table(
    "shelf",
    metadata,
    Column("id", _SERIAL, primary_key=True),
    Column("table_id", Integer, ForeignKey("gaming_table.id"), nullable=False),
    Column("ref", _IDENT, nullable=False),
    Column("person", _IDENT, nullable=False),
    Column("reason", _TEXT, nullable=False),
    Column("started_ms", BigInteger, nullable=False),
    Column("ends_ms", BigInteger, nullable=False),
    Column("closed_ms", BigInteger),
    Column("closed_by", _IDENT),
    Column("outcome", String(16)),
    Index("ix_shelf_table_ref", "table_id", "ref"),
    Index("ix_shelf_started", "started_ms"),
)
"""Shelved alarms. `outcome`: `lifted` by a person, `returned` after its end and seen by a person, or `ended` with its
irregularity; null while it needs attention."""

note = Table(
    "note",
    metadata,
    Column("id", _SERIAL, primary_key=True),
    Column("table_id", Integer, ForeignKey("gaming_table.id"), nullable=False),
    Column("ref", _IDENT, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("person", _IDENT, nullable=False),
    Column("text", _TEXT, nullable=False),
    Index("ix_note_table_ref", "table_id", "ref"),
)
"""Notes of people on an incident. They are added and never changed."""

look = Table(
    "look",
    metadata,
    Column("id", _SERIAL, primary_key=True),
    Column("table_id", Integer, ForeignKey("gaming_table.id"), nullable=False),
    Column("ref", _IDENT, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("person", _IDENT, nullable=False),
    UniqueConstraint("table_id", "ref"),
)
"""Persons who reviewed an incident that ended before anyone had acknowledged it; the first one of each."""

call = Table(
    "call",
    metadata,
    Column("id", _SERIAL, primary_key=True),
    Column("table_id", Integer, ForeignKey("gaming_table.id")),
    Column("ref", _IDENT, nullable=False),
    Column("step", SmallInteger, nullable=False),
    Column("recipient", _IDENT, nullable=False),
    Column("title", _TEXT, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("answered_ms", BigInteger),
    Column("delivered", Boolean),
    Column("reason", _TEXT),
    Index("ix_call_table_ref", "table_id", "ref"),
    Index("ix_call_at", "at_ms"),
)
"""Calls to people, with what the service answered. A test call has no table."""

table_day = Table(
    "table_day",
    metadata,
    Column("table_id", Integer, ForeignKey("gaming_table.id"), nullable=False, primary_key=True),
    Column("day", Date, nullable=False, primary_key=True),
    Column("simulated", Boolean, nullable=False, primary_key=True),
    Column("rows", Integer, nullable=False),
    Column("rounds", Integer, nullable=False),
    Column("first_ms", BigInteger, nullable=False),
    Column("last_ms", BigInteger, nullable=False),
    Index("ix_table_day_day", "day"),
)
"""Rows and finished rounds of a table on a gaming day. It stays when the rows themselves are archived."""

report = Table(
    "report",
    metadata,
    Column("id", _SERIAL, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("subject", _TEXT, nullable=False),
    Column("made_ms", BigInteger, nullable=False),
    Column("made_by", _IDENT, nullable=False),
    Column("simulated", Boolean, nullable=False),
    Column("hash", _HASH, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("ix_report_made", "made_ms"),
    Index("ix_report_subject", "subject"),
)
"""Frozen reports: the exact bytes of each PDF, numbered by `id`. Nothing updates or deletes them."""
