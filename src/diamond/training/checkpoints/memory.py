"""Shared memory without a name, so that a killed job leaves none behind."""

from __future__ import annotations

import mmap
import os
import tempfile

import torch

PAGE = 4096


class SharedMemory:
    """Grows like a file during layout, then is mapped once and kept. The writer process maps it too."""

    def __init__(self, descriptor: int = -1) -> None:
        self.descriptor = descriptor if descriptor >= 0 else _anonymous_file()

    def map(self, size: int) -> None:
        """`size` is rounded up to whole pages, as direct writes need it."""
        self.size = -(-max(size, 1) // PAGE) * PAGE
        os.ftruncate(self.descriptor, self.size)
        mapped = mmap.mmap(self.descriptor, self.size)
        self.bytes = memoryview(mapped)
        self.tensor = torch.frombuffer(mapped, dtype=torch.uint8)

    def pin(self) -> None:
        """Let an accelerator copy into it without waiting for the processor."""
        if torch.cuda.is_available():
            torch.cuda.cudart().cudaHostRegister(self.tensor.data_ptr(), self.size, 0)

    def close(self) -> None:
        """The mapping ends with the last tensor that uses it."""
        os.close(self.descriptor)


def _anonymous_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("diamond-checkpoint")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
