"""Mapping driver: line-oriented ASCII devices, configured by a map file that assigns events to lines."""
