"""Generators of the reference pages: each module turns code or data of pitwarden into Markdown."""
