"""Artifacts: whose bytes they are, and where they lie."""
