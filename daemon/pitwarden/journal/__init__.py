"""What is kept on disk, and committed before it leaves."""
