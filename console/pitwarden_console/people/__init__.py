"""Accounts, sessions and the audit of what people did through the console."""
