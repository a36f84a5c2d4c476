"""The service of one table: composition, start, reload, stop."""
