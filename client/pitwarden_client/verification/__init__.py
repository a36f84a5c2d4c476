"""Checks that anyone can run on a table's log: signatures and commitments. They use no private key."""
