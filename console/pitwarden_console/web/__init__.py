"""Pages of the console: server-rendered, kept current by server-sent events, and honest about their age."""
