"""Pit console: a consumer of tables that shows their present state and retains what they publish."""
