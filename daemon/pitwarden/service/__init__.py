"""Service of one table: composition, start, reload, stop."""
