"""Slip driver: random rounds with slips through the real halves and a real broker, compared with the truth.

Each round is a random course of the worlds oracle with slips in it. Devices on ptys sense its cards, terminals send its
keys over a broker, and what the judge half publishes is compared with what truly lay face up on the row of the log that
published it. A consumer of the bus can learn nothing else: the rule is proved on what leaves the process.
"""
