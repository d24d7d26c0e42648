"""Entries of records and their anchors: kept, chained, verified. What the entries say is decided by those who write them."""
