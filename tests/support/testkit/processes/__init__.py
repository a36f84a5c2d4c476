"""The real service in processes that a test starts, freezes and kills, and what they report."""
