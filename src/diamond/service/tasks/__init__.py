"""Tasks: rows, life cycle, lists, cancel, clean-up."""
