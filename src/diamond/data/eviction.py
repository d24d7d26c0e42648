"""Which copies of data may go to make room: never the last one, never a pinned one, never what a task needs. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Sequence, Tuple

IN_PLACE = "in-place"


@dataclass(frozen=True)
class HeldCopy:
    """One copy of a tree on an endpoint."""

    tree: str
    endpoint: str
    kind: str
    """in-place, copy or archive."""
    size: int
    inodes: int
    used: float
    """When it was last read, or came."""
    is_pinned: bool = False
    is_needed: bool = False
    """By a task that has not ended, or by a transfer that reads it."""
    is_changed: bool = False
    """Its files are no longer those of the tree, so it secures nothing."""


@dataclass(frozen=True)
class Eviction:
    evicted: Tuple[HeldCopy, ...]
    kept: Tuple[Tuple[HeldCopy, str], ...]
    """With the reason why each stays."""


def choose_evictions(
    copies: Sequence[HeldCopy],
    *,
    among: Sequence[str],
    unused_before: float,
    free_bytes: int = 0,
) -> Eviction:
    """Copies on the endpoints `among` that may go, least recently used first.

    `copies` are all that are known, everywhere: whether one is the last is counted over all of them, and again after each that
    goes. `free_bytes`: stop once so much is free; 0 takes all that may go.
    """
    left: Dict[str, int] = {}
    for copy in copies:
        left[copy.tree] = left.get(copy.tree, 0) + (0 if copy.is_changed else 1)
    evicted: List[HeldCopy] = []
    kept: List[Tuple[HeldCopy, str]] = []
    here = [copy for copy in copies if copy.endpoint in among and copy.kind != IN_PLACE]
    for copy in sorted(here, key=lambda one: (one.used, one.tree, one.kind)):
        reason = _why_it_stays(copy, left[copy.tree], unused_before)
        if not reason and free_bytes and sum(one.size for one in evicted) >= free_bytes:
            reason = "there is room enough without it"
        if reason:
            kept.append((copy, reason))
            continue
        evicted.append(copy)
        left[copy.tree] -= 0 if copy.is_changed else 1
    return Eviction(tuple(evicted), tuple(kept))


def is_last(copy: HeldCopy, copies: Sequence[HeldCopy]) -> bool:
    """Whether no other usable copy of the same tree is known."""
    others = [one for one in copies if one.tree == copy.tree and not one.is_changed]
    return not copy.is_changed and len(others) <= 1


def _why_it_stays(copy: HeldCopy, usable: int, unused_before: float) -> str:
    if copy.is_pinned:
        return "it is pinned"
    if copy.is_needed:
        return "a task needs it"
    if usable - (0 if copy.is_changed else 1) < 1:
        return "it is the last copy"
    if copy.used >= unused_before:
        return "it was used recently"
    return ""
