"""Recorder: every output and every public state of known logs, to compare two versions of the rules core."""
