"""What tests and teaching need: suites for adapters, and real clusters on one machine."""
