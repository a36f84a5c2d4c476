"""Nights in memory, without a service: shoes, rows, and the rules core as the judge."""
