"""Results: what runs leave behind, hashed where it is."""
