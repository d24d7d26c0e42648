"""Wake-ups: whoever waits for a topic hears of a commit at once."""
