"""Models: names with versions, aliases that move, and cards."""
