"""What one rank computes and exchanges; rank 0 writes how long that took, without the start, into the file that it is given.

Run by a Python that has mpi4py.
"""

from __future__ import annotations

import sys
from array import array
from pathlib import Path

from mpi4py import MPI

LENGTH, ROUNDS = 100_000, 150


def main(file: str) -> None:
    world = MPI.COMM_WORLD
    own, everyone = array("d", range(LENGTH)), array("d", bytes(8 * LENGTH))
    world.Barrier()
    began = MPI.Wtime()
    for number in range(ROUNDS):
        own[number] = sum(own) / LENGTH
        world.Allreduce(own, everyone)
    if world.rank == 0:
        Path(file).write_text(f"{MPI.Wtime() - began:.4f}\n")


if __name__ == "__main__":
    main(sys.argv[1])
