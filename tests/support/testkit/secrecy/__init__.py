"""Knowledge that an outsider may have of a night, and leaks that must be found."""
