"""Trees of data on this machine: scans, places, checks before a start, arrivals, sending."""
