"""Now and then, one hash over all records that have changed."""

from __future__ import annotations

import time

from diamond.provenance.anchors import in_order, make_anchor
from diamond.service.entries import store
from diamond.service.entries.rows import AnchoredHeadRow, AnchorRow
from diamond.service.platform.database.engine import Store, Transaction

MOST_HEADS = 1000
"""In one anchor; more make several."""


async def anchor_records(database: Store) -> int:
    """Covers everything that no anchor covers yet; how many anchors that took. Two processes may try at once: the number is unique."""
    count = 0
    while await database.run(_anchor_some):
        count += 1
    return count


async def _anchor_some(tx: Transaction) -> bool:
    changed = await store.not_anchored(tx.connection, MOST_HEADS)
    if not changed:
        return False
    last = await store.last_anchor(tx.connection)
    heads = in_order(AnchoredHeadRow(0, row.task, row.n, row.head).value for row in changed)
    anchor = make_anchor(last.kept if last else None, time.time(), heads)
    rows = [AnchoredHeadRow(anchor.n, head.task, head.head.n, head.head.hash) for head in heads]
    made = AnchorRow(anchor.n, anchor.at, anchor.root, anchor.count, anchor.before, anchor.hash)
    await store.add_anchor(tx, made, rows)
    return True
