"""Images on this machine: entered by tasks, transferred, listed."""
