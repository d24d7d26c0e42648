"""Tasks and attempts: folders, staging, submission, watching, chains; every decision is made in `machine`."""
