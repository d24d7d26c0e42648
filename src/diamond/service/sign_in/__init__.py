"""Signing in: browsers, devices, identities and invitations."""
