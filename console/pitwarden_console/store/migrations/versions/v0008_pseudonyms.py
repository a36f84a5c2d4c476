"""Hash of the bytes in which employee numbers were replaced by pseudonyms."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column to everything that is hash-chained."""
    for table in ("log_row", "judge_output", "audit_entry"):
        op.add_column(table, sa.Column("hidden", sa.String(length=64)))
