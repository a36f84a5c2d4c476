"""Built package, the machine on which it is installed, and node."""
