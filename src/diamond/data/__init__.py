"""Trees of data: manifests, scanning, wanted ranges, the pack stream, archives. Standard library only."""
