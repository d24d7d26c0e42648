"""A spec while it is written: request, faults, preview, YAML."""
