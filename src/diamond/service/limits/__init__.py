"""Limits of people and projects, and what they have used."""
