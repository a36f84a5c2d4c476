"""Simulated table and its people, as scripts: they yield acts, a runner does each and resumes when it is logged.

People use only what lies face up, what lamps show, and what the judge publishes.
"""
