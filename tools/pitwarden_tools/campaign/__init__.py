"""Campaign: complete nights under faults by seed, judged by the simulator's knowledge of the truth."""
