"""Why a task failed, in plain words, and the change that would make it run."""
