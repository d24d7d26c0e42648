"""A task run again from its record, and a verdict on how the second run compares."""
