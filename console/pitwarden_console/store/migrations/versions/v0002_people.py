"""Accounts, sessions and the audit."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables about people."""
    op.create_table(
        "account",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("login", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=500), nullable=False),
        sa.Column("person", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=64), nullable=False),
        sa.Column("password", sa.String(length=500), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("closed_ms", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_account"),
        sa.UniqueConstraint("login", name="uq_account_login"),
        sa.UniqueConstraint("person", name="uq_account_person"),
    )
    op.create_table(
        "session",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("account_id", _SERIAL, nullable=False),
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("ended_ms", sa.BigInteger()),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_session_account_id_account"),
        sa.PrimaryKeyConstraint("id", name="pk_session"),
        sa.UniqueConstraint("token", name="uq_session_token"),
    )
    op.create_table(
        "audit_entry",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=64), nullable=False),
        sa.Column("input_id", sa.String(length=64)),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_entry"),
    )
    op.create_index("ix_audit_entry_at", "audit_entry", ["at_ms"])
    op.create_index("ix_audit_entry_person", "audit_entry", ["person", "at_ms"])
    op.create_index("ix_audit_entry_input", "audit_entry", ["input_id"])
