"""The process that owns a machine."""
