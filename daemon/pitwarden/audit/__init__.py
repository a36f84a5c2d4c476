"""Journals as evidence, read without changing them: verification, export, replay, the reach of an incident."""
