"""Captures: what went over a device's line, with its times and where it comes from, to be played to a driver again."""
