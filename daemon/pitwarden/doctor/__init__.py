"""Examination of a table controller: each problem, why it matters, and the command that fixes it."""
