"""Sending what a script logged with MLflow or W&B on to the person's own server."""
