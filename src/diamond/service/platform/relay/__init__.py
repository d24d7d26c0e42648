"""Questions to agents while a person waits."""
