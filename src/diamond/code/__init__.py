"""Code snapshots and transfers."""
