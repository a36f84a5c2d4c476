"""Worlds oracle: every course of a round that agrees with a log, and the cards that each of them hides.

A card is published only if it lies face up, or was shown, in every world of the log so far. This package enumerates the
worlds: the rounds that honest people deal, with what the regulations foresee and at most k slips. It finds each
publication that one of them contradicts. It shares no code with the rules core, which it drives row by row.
"""
