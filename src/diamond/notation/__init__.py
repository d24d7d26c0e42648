"""Specs as YAML text, read and written by the same rules."""
