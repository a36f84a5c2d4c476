"""Slip driver: random rounds with slips through the real halves and a real broker, compared with the truth.

Each round is a random course of the worlds oracle with slips in it. Devices on ptys sense its cards, and terminals send
its keys over a broker. Each reveal of the judge half is compared with the truth on the row that published it: whether
the card lay face up. A consumer of the bus can learn nothing else: the rule is proved on what leaves the process.
"""
