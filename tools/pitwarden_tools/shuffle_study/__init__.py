"""Study of the shuffle auditor on thousands of shoes, honest and defective; docs/explanation/shuffle-audit.md."""
