"""Oracle: a second implementation of the regulations, written from their text alone.

It shares no code with the rules.
"""
