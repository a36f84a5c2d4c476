"""The card ledger: how many cards of each deck are where. Counts alone, never ranks; what is not sensed is unknown."""
