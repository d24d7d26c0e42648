"""Where, when and how a job runs: pure decisions."""
