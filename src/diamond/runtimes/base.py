"""What a program runs inside: made ready on the login node, entered by the batch script."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List


@dataclass(frozen=True)
class Entered:
    """How a batch script gets inside: variables to set, folders in front of PATH, words before the command."""

    variables: Dict[str, str] = field(default_factory=dict)
    path: List[str] = field(default_factory=list)
    prefix: List[str] = field(default_factory=list)
