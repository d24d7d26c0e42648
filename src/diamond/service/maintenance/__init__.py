"""Periodic work and backups."""
