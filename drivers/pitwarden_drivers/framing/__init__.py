"""Framing of byte streams."""
