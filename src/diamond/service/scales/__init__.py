"""Scales at work: probe runs are started, measured and ended."""
