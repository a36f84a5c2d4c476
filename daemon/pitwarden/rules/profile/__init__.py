"""Game rules as data: profiles, clauses, readings, pay tables."""
