"""What runs inside an allocation: requests, journal, packing, the engine. See docs/internals/pilots.md."""
