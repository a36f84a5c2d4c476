"""Checks that anyone can run on a table's log: signatures and commitments. No private key occurs here."""
