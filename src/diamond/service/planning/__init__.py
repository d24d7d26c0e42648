"""Plans: pace, waits, node counts, scales."""
