"""What tasks write: logs, metrics, files."""
