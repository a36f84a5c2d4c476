"""Shoes by the thousand, honest and defective, to measure the shuffle auditor; docs/explanation/shuffle-audit.md."""
