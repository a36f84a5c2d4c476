"""Rows, journals and the log of a table, whole, tampered with and on a bad medium."""
