"""Rows, outputs, breaks, incidents and positions of every table."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the schema of the first version."""
    _gaming_table()
    _chain_break()
    _incident()
    _judge_output()
    _log_row()


def _gaming_table() -> None:
    op.create_table(
        "gaming_table",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("site", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.Column("cursor", sa.Text(), nullable=False),
        sa.Column("outputs_chain", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_gaming_table"),
        sa.UniqueConstraint("site", "name", name="uq_gaming_table_site"),
    )


def _chain_break() -> None:
    op.create_table(
        "chain_break",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("chain", sa.String(length=8), nullable=False),
        sa.Column("reason", sa.String(length=500), nullable=False),
        sa.Column("received_ms", sa.BigInteger(), nullable=False),
        sa.Column("epoch", sa.String(length=64)),
        sa.Column("row", sa.BigInteger()),
        sa.Column("output", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["gaming_table.id"], name="fk_chain_break_table_id_gaming_table"),
        sa.PrimaryKeyConstraint("id", name="pk_chain_break"),
    )
    op.create_index("ix_chain_break_table", "chain_break", ["table_id", "received_ms"])


def _incident() -> None:
    op.create_table(
        "incident",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("ref", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("catalogue", sa.String(length=500), nullable=False),
        sa.Column("clauses", sa.Text(), nullable=False),
        sa.Column("verdicts", sa.String(length=500), nullable=False),
        sa.Column("priority", sa.SmallInteger(), nullable=False),
        sa.Column("status", sa.String(length=64), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("sentence", sa.String(length=500), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("opened_ms", sa.BigInteger(), nullable=False),
        sa.Column("opened_epoch", sa.String(length=64), nullable=False),
        sa.Column("opened_row", sa.BigInteger(), nullable=False),
        sa.Column("acknowledged_ms", sa.BigInteger()),
        sa.Column("acknowledged_by", sa.String(length=64)),
        sa.Column("ended_ms", sa.BigInteger()),
        sa.Column("ended_by", sa.String(length=64)),
        sa.Column("round", sa.Integer()),
        sa.Column("deck", sa.String(length=64)),
        sa.Column("device", sa.String(length=500)),
        sa.Column("box", sa.Integer()),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.Column("last_output", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["gaming_table.id"], name="fk_incident_table_id_gaming_table"),
        sa.PrimaryKeyConstraint("id", name="pk_incident"),
        sa.UniqueConstraint("table_id", "ref", name="uq_incident_table_id"),
    )
    op.create_index("ix_incident_acknowledged", "incident", ["acknowledged_by", "day"])
    op.create_index("ix_incident_day_catalogue", "incident", ["day", "catalogue"])
    op.create_index("ix_incident_ended", "incident", ["ended_by", "day"])
    op.create_index("ix_incident_opened", "incident", ["opened_ms"])
    op.create_index("ix_incident_table_opened", "incident", ["table_id", "opened_ms"])


def _judge_output() -> None:
    op.create_table(
        "judge_output",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("chain", sa.Integer(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("epoch", sa.String(length=64), nullable=False),
        sa.Column("row", sa.BigInteger(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("received_ms", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("ref", sa.String(length=64)),
        sa.Column("catalogue", sa.String(length=500)),
        sa.Column("status", sa.String(length=64)),
        sa.Column("by", sa.String(length=64)),
        sa.Column("rules_version", sa.String(length=500)),
        sa.Column("profile_digest", sa.String(length=64)),
        sa.Column("proved", sa.Boolean()),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("prevhash", sa.String(length=64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["gaming_table.id"], name="fk_judge_output_table_id_gaming_table"),
        sa.PrimaryKeyConstraint("id", name="pk_judge_output"),
        sa.UniqueConstraint("table_id", "chain", "number", name="uq_judge_output_table_id"),
    )
    op.create_index("ix_judge_output_at", "judge_output", ["table_id", "at_ms"])
    op.create_index("ix_judge_output_ref", "judge_output", ["table_id", "ref", "id"])


def _log_row() -> None:
    op.create_table(
        "log_row",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("table_id", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.String(length=64), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("log_ms", sa.BigInteger()),
        sa.Column("received_ms", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("source", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=64)),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("prevhash", sa.String(length=64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["gaming_table.id"], name="fk_log_row_table_id_gaming_table"),
        sa.PrimaryKeyConstraint("id", name="pk_log_row"),
        sa.UniqueConstraint("table_id", "epoch", "number", name="uq_log_row_table_id"),
    )
    op.create_index("ix_log_row_person_at", "log_row", ["person", "at_ms"])
    op.create_index("ix_log_row_table_at", "log_row", ["table_id", "at_ms"])
