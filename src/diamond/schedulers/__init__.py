"""Submit, status, cancel: one file for each batch system."""
