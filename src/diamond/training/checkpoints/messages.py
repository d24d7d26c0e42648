"""Messages between a training and its writer process, sent over their pipe."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

from diamond.training.checkpoints.folder import Keep


@dataclass(frozen=True)
class Join:
    """Join the other ranks' writers. With one rank there are none."""

    rank: int
    world_size: int
    address: Tuple[str, int] = ("", 0)
    timeout_seconds: float = 600.0


@dataclass(frozen=True)
class Prepare:
    """What this rank writes from now on; the staging memory's descriptor follows."""

    items: List[Any]
    """DCP's write items: the tensors of this rank, then its byte entries."""
    spans: List[Tuple[int, int]]
    """Offset and length of each tensor in the file."""
    image_bytes: int
    metadata: Any
    """DCP's metadata of the whole checkpoint; the coordinator writes it."""


@dataclass(frozen=True)
class Save:
    """Write what is staged."""

    step: int
    root: str
    claim: int
    serial: int
    entries: Dict[str, bytes]
    """Byte entries by name."""
    keep: Keep
    world_size: int
    metric: Optional[float] = None
    about: Dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Leave:
    """Finish: there is nothing more to write."""


@dataclass(frozen=True)
class Done:
    """A save is on disk and committed."""

    step: int
    name: str
    total_bytes: int
    writing_seconds: float


@dataclass(frozen=True)
class Failed:
    """A save failed; the previous checkpoint is intact."""

    step: int
    message: str
    superseded: bool = False
