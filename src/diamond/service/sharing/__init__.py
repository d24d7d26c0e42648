"""Showing one thing to people, projects or everyone."""
