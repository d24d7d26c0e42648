"""Enroot by Slurm's Pyxis plugin: it runs the same squashfs. Run-only, and NOT EXERCISED: neither is in Debian or on PyPI.

Written from Pyxis' documentation; the command line alone is tested. It builds nothing.
"""

from __future__ import annotations

from typing import List, Sequence

from diamond.runtimes.base import Inside
from diamond.runtimes.records import Record


def pyxis_words(record: Record, inside: Inside, *, names: Sequence[str] = ()) -> List[str]:
    """In front of a command in a batch job; `names` are variables that go in over those of the image."""
    words = ["srun", f"--container-image={record.file}"]
    if inside.binds:
        mounts = ",".join(f"{source}:{target}" for source, target in inside.binds)
        words.append(f"--container-mounts={mounts}")
    if inside.folder:
        words.append(f"--container-workdir={inside.folder}")
    words += ["--no-container-mount-home", "--no-container-entrypoint"]
    return [*words, f"--container-env={','.join(names)}"] if names else words
