"""Shelving, notes, and reviews of what had ended."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of alarm management."""
    op.create_table(
        "shelf",
        *_about_incident("shelf"),
        sa.Column("person", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.String(length=500), nullable=False),
        sa.Column("started_ms", sa.BigInteger(), nullable=False),
        sa.Column("ends_ms", sa.BigInteger(), nullable=False),
        sa.Column("closed_ms", sa.BigInteger()),
        sa.Column("closed_by", sa.String(length=64)),
        sa.Column("outcome", sa.String(length=16)),
    )
    op.create_index("ix_shelf_table_ref", "shelf", ["table_id", "ref"])
    op.create_index("ix_shelf_started", "shelf", ["started_ms"])
    op.create_table(
        "note",
        *_about_incident("note"),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("person", sa.String(length=64), nullable=False),
        sa.Column("text", sa.String(length=500), nullable=False),
    )
    op.create_index("ix_note_table_ref", "note", ["table_id", "ref"])
    op.create_table(
        "look",
        *_about_incident("look"),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("person", sa.String(length=64), nullable=False),
        sa.UniqueConstraint("table_id", "ref", name="uq_look_table_id"),
    )


def _about_incident(name: str) -> tuple[sa.schema.SchemaItem, ...]:
    return (
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("ref", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=f"pk_{name}"),
        sa.ForeignKeyConstraint(["table_id"], ["gaming_table.id"], name=f"fk_{name}_table_id_gaming_table"),
    )
