"""When the identity provider took the last group of an account away."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the instant to the accounts."""
    op.add_column("account", sa.Column("withdrawn_ms", sa.BigInteger()))
