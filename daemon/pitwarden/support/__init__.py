"""Support bundle: what a vendor needs to examine a table controller, without keys, faces and persons."""
