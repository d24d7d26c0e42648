"""The agent as one file, made once and served to every machine."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

from diamond.core.ids import new_id


class AgentFile:
    """Built at the first call after a start, so that it is always of the service's own version."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._digest = ""
        self._lock = asyncio.Lock()

    async def get(self) -> tuple[Path, str]:
        """The file and the sha256 of its bytes."""
        async with self._lock:
            if not self._digest or not self._path.is_file():
                self._digest = await asyncio.to_thread(self._build)
        return self._path, self._digest

    def _build(self) -> str:
        from diamond.agent.site.bundle import build_bundle

        aside = self._path.with_name(new_id("b"))
        try:
            build_bundle(aside)
            digest = hashlib.sha256(aside.read_bytes()).hexdigest()
            aside.rename(self._path)
        finally:
            aside.unlink(missing_ok=True)
        return digest
