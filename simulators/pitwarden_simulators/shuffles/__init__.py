"""Shoes by the thousand, honest and defective, to measure the shuffle auditor; see README.md."""
