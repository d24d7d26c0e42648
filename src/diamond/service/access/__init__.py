"""Who may do what: principals, rules and the one place that decides."""
