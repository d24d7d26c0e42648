"""Wake-ups: a commit wakes everyone who waits for its topic."""
