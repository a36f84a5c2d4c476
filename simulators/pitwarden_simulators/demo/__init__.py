"""Command `pitwarden demo`: a simulated night over real ptys, a real broker and the real service."""
