"""Oversees the ranks of one run, inside the job: standard library, Python 3.8."""
