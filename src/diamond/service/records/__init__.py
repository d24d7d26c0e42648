"""Records: shown, verified, exported, imported, shared with reviewers, deposited."""
