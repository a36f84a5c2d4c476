"""What people see of a table in a terminal: the stream in words, and a screen made of nothing but the contract."""
