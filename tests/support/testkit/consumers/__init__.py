"""Consumers of a table's topics, and the published messages that they receive."""
