"""Studies: Optuna proposes points, tasks try them, and it learns from their values. See docs/internals/studies.md."""
