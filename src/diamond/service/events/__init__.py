"""The one event stream of each client."""
