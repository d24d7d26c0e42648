"""Chains: the attempts of a long task, how far they may go, and when they queue ahead."""
