"""Joins all processes with `jax.distributed.initialize()` without arguments; prints the sum of their numbers."""

from __future__ import annotations

import jax
from jax.experimental import multihost_utils

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize()
numbers = multihost_utils.process_allgather(jax.numpy.array([jax.process_index()]))
print(f"rank {jax.process_index()} of {jax.process_count()}: {int(numbers.sum())}", flush=True)
