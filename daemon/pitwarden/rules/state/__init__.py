"""State records of the rules core."""
