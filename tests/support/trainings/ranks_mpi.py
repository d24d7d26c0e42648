"""Prints the sum of the rank numbers over MPI, and checks that the variables agree."""

from __future__ import annotations

import os

from mpi4py import MPI

world = MPI.COMM_WORLD
assert (str(world.rank), str(world.size)) == (os.environ["RANK"], os.environ["WORLD_SIZE"])
print(f"rank {world.rank} of {world.size}: {world.allreduce(world.rank)}", flush=True)
