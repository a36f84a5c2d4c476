"""What an outsider may know of a night, and leaks that must be found."""
