"""What every slice stands on: database, HTTP, wake-ups, relay, delivery. Imports no slice."""
