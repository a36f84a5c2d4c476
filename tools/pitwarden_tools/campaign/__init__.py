"""The campaign: whole nights under faults by seed, with the simulator's truth as the judge of what survived."""
