"""Scenario files: events and expected outputs that a compliance officer can read."""
