"""The hash of pseudonymized bytes by its name, and how far the daily run came."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Rename the column, and make the table of marks."""
    for table in ("log_row", "judge_output", "audit_entry"):
        # Both databases know this statement. Alembic's operation would copy each table in SQLite.
        op.execute(f"ALTER TABLE {table} RENAME COLUMN hidden TO pseudonymized_hash")
    op.create_table(
        "pseudonym_mark",
        sa.Column("of", sa.String(length=64), nullable=False),
        sa.Column("last_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("of", name="pk_pseudonym_mark"),
    )
