"""Outcomes of random rounds, read from the texts a second time and compared with the rules core.

It shares neither code nor pay tables with the core: what a hand makes and what it pays is written here from the texts.
"""
