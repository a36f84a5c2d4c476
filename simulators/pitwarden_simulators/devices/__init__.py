"""Simulated shoe, shuffler and reader: physics separate from their wire. Time is an argument."""
