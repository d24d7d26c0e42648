"""The process that owns intent and record."""
