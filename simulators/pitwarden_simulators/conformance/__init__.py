"""The conformance kit: plays TDP's obligations against a device and says, clause by clause, what it kept (SPEC.md)."""
