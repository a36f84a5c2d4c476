"""Real service in processes that a test starts, freezes and kills, and its reports."""
