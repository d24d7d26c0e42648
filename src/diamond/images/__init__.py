"""From an environment to the steps of a build; pure. What carries them out is in `runtimes`."""
