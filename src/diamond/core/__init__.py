"""Nouns and rules: no disk, no network, no clock."""
