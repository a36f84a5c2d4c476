"""Captures: recorded dialogues on a device's line, with times and origin, that can be replayed to a driver."""
