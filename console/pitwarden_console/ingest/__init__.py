"""Consumers of the tables: what the client returns is stored first, and shown after that."""
