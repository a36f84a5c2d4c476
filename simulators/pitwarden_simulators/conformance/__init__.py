"""Conformance kit: it plays TDP's obligations against a device and reports which were kept, by clause of SPEC.md."""
