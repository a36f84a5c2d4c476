"""Judges of a group under kills, pauses, partitions and restarts of their database; every verdict is checked."""
