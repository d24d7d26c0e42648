"""The REST API: one file per noun, each call a few lines around a use case."""
