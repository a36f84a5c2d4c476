"""The table file: refused rather than guessed."""
