"""What can go wrong at a table, by name, with the result that the regulation orders. The simulators' oracle."""
