"""The table of many runs: chosen columns, filters, groups, CSV; runs side by side; imported runs."""
