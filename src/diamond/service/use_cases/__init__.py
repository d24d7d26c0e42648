"""What can be done: each takes a principal, decides nothing about HTTP."""
