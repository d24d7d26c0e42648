"""Pilots: allocations that run other tasks of the same person inside them."""
