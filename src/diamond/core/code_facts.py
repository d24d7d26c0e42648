"""What the side that sends code knows about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Dict, Mapping, Optional, Tuple


@dataclass(frozen=True)
class CodeFacts:
    """The snapshot of a job's code, and the state of the work tree it was taken from."""

    snapshot: str = ""
    """Digest of its manifest; empty if no folder was sent."""
    commit: str = ""
    dirty: bool = False
    diff: str = ""
    """Digest of the changes since `commit`."""
    left_out: Tuple[str, ...] = ()
    files: int = 0
    bytes: int = 0


def code_facts_from(data: Optional[Mapping[str, Any]]) -> Optional[CodeFacts]:
    """Facts as they are stored or sent; fields of another version are ignored."""
    if data is None:
        return None
    known = {field.name: data[field.name] for field in fields(CodeFacts) if field.name in data}
    known["left_out"] = tuple(known.get("left_out") or ())
    return CodeFacts(**known)


def code_facts_data(facts: Optional[CodeFacts]) -> Optional[Dict[str, Any]]:
    if facts is None:
        return None
    return {**asdict(facts), "left_out": list(facts.left_out)}
