"""Transitions: the changes that one log row makes to the state, one file per source of rows.

A transition never reports a violation; checks compare the states before and after it.
"""
