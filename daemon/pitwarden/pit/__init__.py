"""Judge process of a pit: one judge half for each table, with its own connections and state; journals are shared."""
