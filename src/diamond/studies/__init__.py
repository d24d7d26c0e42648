"""Studies: a search over the parameters of a spec. No I/O. See docs/internals/studies.md."""
