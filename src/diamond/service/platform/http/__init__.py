"""HTTP: guards, limits, problem+json, shared parameters."""
