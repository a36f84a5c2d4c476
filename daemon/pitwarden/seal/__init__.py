"""Seals, commitments and signatures."""
