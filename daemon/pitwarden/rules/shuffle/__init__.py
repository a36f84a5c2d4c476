"""Whether the cards that were dealt look shuffled, from public cards alone."""
