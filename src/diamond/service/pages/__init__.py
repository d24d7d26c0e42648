"""The web pages as files."""
