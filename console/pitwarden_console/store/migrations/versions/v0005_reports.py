"""Frozen reports, and the rounds of each table and gaming day."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_COUNT = """
INSERT INTO table_day (table_id, day, simulated, "rows", rounds, first_ms, last_ms)
SELECT table_id, day, simulated, count(*), sum(CASE WHEN kind = 'kp.round_end' THEN 1 ELSE 0 END), min(at_ms),
max(at_ms) FROM log_row GROUP BY table_id, day, simulated
"""


def upgrade() -> None:
    """Create the tables, and count the rounds that are stored already."""
    op.create_table(
        "table_day",
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("first_ms", sa.BigInteger(), nullable=False),
        sa.Column("last_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "day", "simulated", name="pk_table_day"),
        sa.ForeignKeyConstraint(["table_id"], ["gaming_table.id"], name="fk_table_day_table_id_gaming_table"),
    )
    op.create_index("ix_table_day_day", "table_day", ["day"])
    op.execute(_COUNT)
    op.create_table(
        "report",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("subject", sa.String(length=500), nullable=False),
        sa.Column("made_ms", sa.BigInteger(), nullable=False),
        sa.Column("made_by", sa.String(length=64), nullable=False),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_report"),
    )
    op.create_index("ix_report_made", "report", ["made_ms"])
    op.create_index("ix_report_subject", "report", ["subject"])
    op.create_index("ix_incident_trend", "incident", ["simulated", "day", "catalogue", "device"])
