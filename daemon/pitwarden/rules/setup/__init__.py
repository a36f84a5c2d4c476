"""Set-up of one table as the rules see it, and its validation."""
