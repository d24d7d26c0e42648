"""How people are known by their providers: OpenID Connect, GitHub, and who is let in."""
