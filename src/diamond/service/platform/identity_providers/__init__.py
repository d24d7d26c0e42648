"""OpenID Connect and GitHub: who a person is, according to their provider."""
