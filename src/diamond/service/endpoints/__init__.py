"""Endpoints: machines with an agent; pairing, presence, profiles, commands."""
