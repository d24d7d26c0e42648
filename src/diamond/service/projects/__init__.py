"""Projects: people who see one another's work."""
