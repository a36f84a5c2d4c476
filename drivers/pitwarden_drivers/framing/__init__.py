"""Byte streams to frames and back."""
