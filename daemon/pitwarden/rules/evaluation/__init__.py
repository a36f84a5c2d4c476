"""Evaluation of hands and rolls, independent of any state."""
