"""Records: what made a result. No I/O. See docs/internals/records.md."""
