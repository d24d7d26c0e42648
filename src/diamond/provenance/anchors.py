"""Anchors: one hash over the heads of all records that changed in a period, chained to the anchor before it.

The hash is the root of a tree, so that one record's place in it can be shown without naming the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from diamond.provenance.entries import Fault, Head, canonical, digest


@dataclass(frozen=True)
class AnchoredHead:
    task: str
    head: Head

    @property
    def leaf(self) -> str:
        return digest(canonical(["leaf", self.task, self.head.n, self.head.hash]))


@dataclass(frozen=True)
class Anchor:
    n: int
    at: float
    root: str
    count: int
    before: str = ""

    @property
    def line(self) -> str:
        data = {"n": self.n, "at": self.at, "root": self.root, "count": self.count}
        return canonical({**data, "before": self.before})

    @property
    def hash(self) -> str:
        return digest(self.line)


@dataclass(frozen=True)
class KeptAnchor:
    anchor: Anchor
    hash: str


@dataclass(frozen=True)
class ProofStep:
    """A neighbour on the way from a leaf to the root."""

    hash: str
    is_left: bool


def make_anchor(before: KeptAnchor | None, at: float, heads: Sequence[AnchoredHead]) -> Anchor:
    return Anchor(
        n=before.anchor.n + 1 if before else 1,
        at=at,
        root=root_of([head.leaf for head in in_order(heads)]),
        count=len(heads),
        before=before.hash if before else "",
    )


def in_order(heads: Iterable[AnchoredHead]) -> list[AnchoredHead]:
    return sorted(heads, key=lambda one: one.task)


def root_of(leaves: Sequence[str]) -> str:
    level = list(leaves)
    while len(level) > 1:
        level = _next_level(level)
    return level[0] if level else ""


def proof_of(leaves: Sequence[str], position: int) -> list[ProofStep]:
    """What leads from one leaf to the root."""
    steps, level = [], list(leaves)
    while len(level) > 1:
        neighbour = position ^ 1
        if neighbour < len(level):
            steps.append(ProofStep(level[neighbour], is_left=neighbour < position))
        level, position = _next_level(level), position // 2
    return steps


def root_by(leaf: str, proof: Iterable[ProofStep]) -> str:
    """The root that a leaf and its proof lead to."""
    for step in proof:
        leaf = _pair(step.hash, leaf) if step.is_left else _pair(leaf, step.hash)
    return leaf


def find_anchor_fault(anchors: Iterable[KeptAnchor]) -> Fault | None:
    """The first anchor that does not fit."""
    last: KeptAnchor | None = None
    for kept in anchors:
        n = last.anchor.n + 1 if last else 1
        if kept.anchor.n != n:
            return Fault(n, f"anchor {n} is missing")
        if kept.anchor.hash != kept.hash:
            return Fault(n, f"anchor {n} was changed")
        if kept.anchor.before != (last.hash if last else ""):
            return Fault(n, f"anchor {n} does not follow anchor {n - 1}")
        last = kept
    return None


def _next_level(level: Sequence[str]) -> list[str]:
    """Pairs are hashed together; the last of an odd number goes up as it is."""
    pairs = [_pair(level[at], level[at + 1]) for at in range(0, len(level) - 1, 2)]
    return pairs if len(level) % 2 == 0 else [*pairs, level[-1]]


def _pair(left: str, right: str) -> str:
    return digest(canonical(["pair", left, right]))
