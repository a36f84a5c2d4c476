"""Test doubles and fixtures, grouped by the thing that they replace: one package for each."""
