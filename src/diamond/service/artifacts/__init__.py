"""Artifacts: whose bytes they are, and where they are."""
