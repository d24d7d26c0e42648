"""Jobs: submit, sign, retry, resume, compare."""
