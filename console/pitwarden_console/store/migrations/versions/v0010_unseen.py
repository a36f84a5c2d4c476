"""Incidents that ended unseen, marked in their row and indexed: an old one is found as fast as one of today."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_UNSEEN = """
UPDATE incident SET unseen = true WHERE kind = 'irregularity' AND status = 'cleared' AND ended_ms IS NOT NULL
AND acknowledged_ms IS NULL AND ended_by IS NULL
AND NOT EXISTS (SELECT 1 FROM look WHERE look.table_id = incident.table_id AND look.ref = incident.ref)
"""


def upgrade() -> None:
    """Add the column with its index, and mark what is stored."""
    op.add_column("incident", sa.Column("unseen", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute(_UNSEEN)
    op.create_index(
        "ix_incident_unseen", "incident", ["simulated", "opened_ms"],
        sqlite_where=sa.text("unseen IS 1"), postgresql_where=sa.text("unseen IS true"),
    )  # fmt: skip
