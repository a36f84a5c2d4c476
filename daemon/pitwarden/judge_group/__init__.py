"""Judges that take over from each other: one record in PostgreSQL, and for each table a lease with a fencing number."""
