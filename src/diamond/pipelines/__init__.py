"""Pipelines: stages, what they read and leave, and what may run next. Pure. See docs/internals/pipelines.md."""
