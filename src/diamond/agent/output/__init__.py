"""What tasks write: logs, metrics, files, on their way to the service."""
