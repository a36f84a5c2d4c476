"""Shuffle audit: statistical tests of whether the cards that were dealt appear shuffled, from public cards only."""
