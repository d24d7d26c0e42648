"""The service's end of the sync protocol."""
