"""Scenes that are recorded as captures of devices."""
