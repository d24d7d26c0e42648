"""Trees of data: what is known of them, where they lie, scans and transfers. Knows no names."""
