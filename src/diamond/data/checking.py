"""Whether the bytes of whole files, as they pass in the order of a manifest, are what the manifest says."""

from __future__ import annotations

import hashlib
from typing import Sequence, Union

from diamond.core.errors import DataChanged
from diamond.data.manifest import FileEntry
from diamond.data.packing import BYTES, Frame

_ZEROS = bytes(1 << 20)


class FilesInOrder:
    """Takes the frames of whole files, one after the other."""

    def __init__(self, files: Sequence[FileEntry]) -> None:
        self._files = files
        self._digest = hashlib.sha256()

    def take(self, frame: Frame, content: Union[bytes, memoryview]) -> None:
        """Raises `DataChanged` with the last bytes of a file that has other ones."""
        entry = self._files[frame.file]
        if frame.kind == BYTES:
            self._digest.update(content)
        else:
            for at in range(0, frame.length, len(_ZEROS)):
                self._digest.update(memoryview(_ZEROS)[: frame.length - at])
        if frame.offset + frame.length < entry.size:
            return
        if self._digest.hexdigest() != entry.sha256:
            raise DataChanged(
                f"{entry.path} has other bytes than the manifest says",
                "Its source has changed. Register it again.",
            )
        self._digest = hashlib.sha256()
