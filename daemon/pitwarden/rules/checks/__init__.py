"""Checks: small independent functions, one subject per file. They read states and find; they change nothing."""
