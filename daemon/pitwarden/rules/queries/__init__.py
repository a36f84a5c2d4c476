"""Queries: values derived from the state, without a change of it."""
