"""Time at which a duty became overdue, which its end hides, and an index of what was open at the end of a shift."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_OVERDUE = """
UPDATE incident SET overdue_ms = (
    SELECT min(judge_output.at_ms) FROM judge_output
    WHERE judge_output.table_id = incident.table_id AND judge_output.ref = incident.ref
    AND judge_output.status = 'overdue'
) WHERE kind = 'duty'
"""


def upgrade() -> None:
    """Add the column and both indexes, and fill the column from the stored outputs."""
    op.add_column("incident", sa.Column("overdue_ms", sa.BigInteger()))
    op.execute(_OVERDUE)
    is_overdue = sa.text("overdue_ms IS NOT NULL")
    op.create_index(
        "ix_incident_overdue", "incident", ["overdue_ms"], sqlite_where=is_overdue, postgresql_where=is_overdue
    )
    op.create_index("ix_incident_table_ended", "incident", ["table_id", "ended_ms", "opened_ms"])
