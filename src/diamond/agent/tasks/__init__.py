"""Tasks and attempts: folders, staging, submission, watching, verdicts, chains."""
