"""Rows, journals and the log of a table: complete, tampered with, and on a bad medium."""
