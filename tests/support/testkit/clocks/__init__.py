"""Clocks and event loops that tests set, and waiting without a guessed length."""
