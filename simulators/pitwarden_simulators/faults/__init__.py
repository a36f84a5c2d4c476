"""Faults of a table by name, with the result that the regulation orders. The simulators' oracle."""
