"""History of every table: exact bytes, what is indexed of them, and the position up to which each table was read."""
