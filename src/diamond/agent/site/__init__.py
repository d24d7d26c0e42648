"""The machine: probe, profile, housekeeping, upgrade."""
