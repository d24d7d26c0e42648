"""Courses: a project with terms, assignments and a roster."""
