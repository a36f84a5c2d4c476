"""Simulated shoe, shuffler and reader: physics apart from their wire; time is an argument; they know the truth."""
