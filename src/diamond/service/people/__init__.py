"""People: users, tokens, sessions, preferences."""
