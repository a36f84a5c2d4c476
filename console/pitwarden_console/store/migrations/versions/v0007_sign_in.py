"""Passkeys, PINs, the subject at an identity provider, and how and when a session was used."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add what a sign-in without a password needs."""
    op.add_column("account", sa.Column("pin", sa.String(length=500)))
    op.add_column("account", sa.Column("pin_failures", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("account", sa.Column("subject", sa.String(length=500)))
    op.create_index("ix_account_subject", "account", ["subject"], unique=True)
    op.add_column("session", sa.Column("method", sa.String(length=64), nullable=False, server_default="password"))
    op.add_column("session", sa.Column("address", sa.String(length=64), nullable=False, server_default=""))
    op.add_column("session", sa.Column("touched_ms", sa.BigInteger()))
    op.add_column("session", sa.Column("ended_by", sa.String(length=64)))
    op.create_index("ix_session_account", "session", ["account_id", "created_ms"])
    op.create_table(
        "passkey",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("account_id", _SERIAL, nullable=False),
        sa.Column("credential", sa.String(length=1400), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("label", sa.String(length=64), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("used_ms", sa.BigInteger()),
        sa.Column("removed_ms", sa.BigInteger()),
        sa.Column("removed_by", sa.String(length=64)),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_passkey_account_id_account"),
        sa.PrimaryKeyConstraint("id", name="pk_passkey"),
        sa.UniqueConstraint("credential", name="uq_passkey_credential"),
    )
    op.create_index("ix_passkey_account", "passkey", ["account_id"])
