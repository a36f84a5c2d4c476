"""Command line of pitwarden: one module for each command or family of commands."""
