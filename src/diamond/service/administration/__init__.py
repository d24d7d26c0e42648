"""What the administrators of a Diamond do: people, limits, audit log."""
