"""Calls to people."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table of calls."""
    op.create_table(
        "call",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("table_id", sa.Integer()),
        sa.Column("ref", sa.String(length=64), nullable=False),
        sa.Column("step", sa.SmallInteger(), nullable=False),
        sa.Column("recipient", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=500), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("answered_ms", sa.BigInteger()),
        sa.Column("delivered", sa.Boolean()),
        sa.Column("reason", sa.String(length=500)),
        sa.PrimaryKeyConstraint("id", name="pk_call"),
        sa.ForeignKeyConstraint(["table_id"], ["gaming_table.id"], name="fk_call_table_id_gaming_table"),
    )
    op.create_index("ix_call_table_ref", "call", ["table_id", "ref"])
    op.create_index("ix_call_at", "call", ["at_ms"])
