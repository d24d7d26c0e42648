"""A spec as text: YAML, read and written by one set of rules."""
