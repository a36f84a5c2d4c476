"""The caller: a process of its own that sends calls to people's devices. It alone has a way out of the network."""
