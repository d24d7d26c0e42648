"""Trees of data: what is known of them, where they are, scans and transfers. Knows no names."""
