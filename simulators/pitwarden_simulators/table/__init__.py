"""A simulated table and its people, as scripts: they yield what they do, a runner does it and says when it is logged.

People use only what lies face up, what lamps show, and what the judge publishes.
"""
