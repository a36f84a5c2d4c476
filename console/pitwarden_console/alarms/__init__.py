"""Alarm management after ISA-18.2: sound, shelving, floods, calls and remarks. It changes nothing at a table."""
