"""Deterministic simulation: the real halves on virtual time, with simulated edges that fail by a seed."""
