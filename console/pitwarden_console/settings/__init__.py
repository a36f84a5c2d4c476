"""The console file: its values, its sections, and what the console is made of from them."""
