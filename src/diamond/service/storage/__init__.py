"""What the service stores of each person: how much, for how long, and how much at most."""
