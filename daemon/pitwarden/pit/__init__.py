"""One judge process for a pit: a judge half for each table, its own connections and state, journals that are shared."""
