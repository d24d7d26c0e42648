from __future__ import annotations

from dataclasses import replace

import pytest

from diamond.provenance.anchors import (
    AnchoredHead,
    KeptAnchor,
    find_anchor_fault,
    in_order,
    make_anchor,
    proof_of,
    root_by,
    root_of,
)
from diamond.provenance.entries import Head


def heads(count: int) -> list[AnchoredHead]:
    return [AnchoredHead(f"t{n:03}", Head(n + 1, f"sha256:{n:064x}")) for n in range(count)]


def line_of_anchors(count: int = 4) -> list[KeptAnchor]:
    kept: list[KeptAnchor] = []
    for n in range(count):
        anchor = make_anchor(kept[-1] if kept else None, float(n), heads(n + 1))
        kept.append(KeptAnchor(anchor, anchor.hash))
    return kept


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 13, 100])
def test_each_record_can_show_its_place_without_the_others(count: int) -> None:
    leaves = [head.leaf for head in heads(count)]
    root = root_of(leaves)
    for position, leaf in enumerate(leaves):
        assert root_by(leaf, proof_of(leaves, position)) == root


def test_another_record_has_no_place_there() -> None:
    leaves = [head.leaf for head in heads(5)]
    assert root_by(heads(6)[5].leaf, proof_of(leaves, 2)) != root_of(leaves)


def test_the_order_in_which_records_changed_does_not_matter() -> None:
    assert in_order(reversed(heads(7))) == heads(7)
    first, second = make_anchor(None, 1.0, heads(7)), make_anchor(None, 1.0, heads(7)[::-1])
    assert first.hash == second.hash


def test_a_line_of_anchors_that_was_changed_says_where() -> None:
    kept = line_of_anchors()
    assert find_anchor_fault(kept) is None
    changed = replace(kept[1], anchor=replace(kept[1].anchor, root="sha256:0"))
    for faulty, n in (([kept[0], changed, *kept[2:]], 2), (kept[:1] + kept[2:], 2), (kept[1:], 1)):
        fault = find_anchor_fault(faulty)
        assert fault is not None
        assert fault.n == n
    again = replace(changed, hash=changed.anchor.hash)
    fault = find_anchor_fault([kept[0], again, *kept[2:]])
    assert fault is not None
    assert fault.n == 3
