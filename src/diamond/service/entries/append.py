"""Appending to records, in the transaction that changes what they are about."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from diamond.provenance.entries import START, Draft, Entry, follow, sealed_text
from diamond.service.entries.rows import EntryRow, RecordRow
from diamond.service.entries.store import add_entries, heads_of
from diamond.service.platform.database.engine import Transaction


@dataclass(frozen=True)
class Addition:
    """Entries for one record."""

    task: str
    owner: str
    drafts: Sequence[Draft]


async def append(
    tx: Transaction,
    additions: Sequence[Addition],
    known: Mapping[str, RecordRow] | None = None,
) -> None:
    """Of two that append to one record at once, one loses the race and is run again. `known`: the heads, if they were read."""
    wanted = [addition for addition in additions if addition.drafts]
    if not wanted:
        return
    if known is None:
        known = await heads_of(tx.connection, {addition.task for addition in wanted})
    rows: list[EntryRow] = []
    new: list[RecordRow] = []
    moved: list[tuple[RecordRow, RecordRow]] = []
    for addition in sorted(wanted, key=lambda each: each.task):
        before = known.get(addition.task)
        made = _chained(before, addition.drafts)
        rows += [_row(addition, entry) for entry in made]
        after = _moved(addition, before, made[-1])
        if before is None:
            new.append(after)
        else:
            moved.append((before, after))
    await add_entries(tx, rows, new, moved)


def _chained(before: RecordRow | None, drafts: Sequence[Draft]) -> list[Entry]:
    head, made = before.ends_at if before else START, []
    for draft in drafts:
        entry = follow(head, draft)
        head = entry.head
        made.append(entry)
    return made


def _moved(addition: Addition, before: RecordRow | None, last: Entry) -> RecordRow:
    now = time.time()
    if before is None:
        return RecordRow(addition.task, addition.owner, last.n, last.hash, now)
    return replace(before, n=last.n, head=last.hash, changed=now)


def _row(addition: Addition, entry: Entry) -> EntryRow:
    return EntryRow(
        task=addition.task,
        n=entry.n,
        owner=addition.owner,
        at=entry.at,
        kind=entry.kind,
        line=entry.line,
        hash=entry.hash,
        sealed=sealed_text(entry),
    )
