"""Studies: points are asked for, tried by tasks, and told back. See docs/internals/studies.md."""
