"""Messages from administrators that every page shows."""
