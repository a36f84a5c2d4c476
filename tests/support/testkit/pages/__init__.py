"""The pit console for tests: stored nights, requests without a server, and a browser."""
