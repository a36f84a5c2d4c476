"""An index of what is open, in place of one that searches took for the wrong order."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Replace the index: the one of 0005 made SQLite sort a year for the first page of a search."""
    op.drop_index("ix_incident_trend", "incident")
    is_open = sa.text("ended_ms IS NULL")
    op.create_index("ix_incident_open", "incident", ["opened_ms"], sqlite_where=is_open, postgresql_where=is_open)
