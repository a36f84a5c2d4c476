"""Devices under the drivers' dialogues: written from the protocol, or behind a real port."""
