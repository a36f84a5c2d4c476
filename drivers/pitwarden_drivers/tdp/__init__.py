"""TDP, the reference table device protocol."""
