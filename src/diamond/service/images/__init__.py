"""Images: requested, built, shared, transferred, pruned."""
