"""Acts at tables: which ones clear an irregularity, and how one is keyed, answered and recorded."""
