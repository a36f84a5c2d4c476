"""Processing of one log row: transition, checks, precedence, irregularities, duties, permit."""
