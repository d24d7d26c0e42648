"""Saved views: the columns, filters and order of a page under a name, for a person or a project."""
