"""The code that jobs run: uploads, snapshots and what a task ran."""
