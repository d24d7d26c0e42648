"""Rows change ranks: each to the rank that its last column names, or all to all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, List, Tuple

from diamond.frames import engines
from diamond.frames.errors import FramesError
from diamond.frames.mesh import Frame
from diamond.frames.session import Exchange, Session
from diamond.frames.sql import name_of
from diamond.frames.store import Held, Schema

TARGET = "__rank"
"""The column that says where a row goes."""
PIECE_BYTES = 8 << 20


@dataclass(frozen=True)
class Rows:
    """What this rank has now: SQL over it, and what keeps it there."""

    relation: str
    keep: Tuple[Any, ...]
    count: int


def hash_target(columns: str, world: int) -> str:
    """By bits from the middle of the hash: the engine's own tables use those at its ends."""
    return f"((hash({columns}) >> 24) % {world})::UINTEGER AS {TARGET}"


def shuffle(session: Session, relation: str) -> Rows:
    """`relation` has TARGET as its last column."""
    schema = session.store.schema(relation)
    held = exchange(session, session.store.batches(relation), to_one)
    text, keep = held.relation()
    return Rows(as_before(text, schema), (keep,), held.rows)


def as_before(relation: str, schema: Schema) -> str:
    """Arrow has no HUGEINT, which sums of integers are: it comes back as a decimal."""
    wide = [name for name, kind in schema.items() if kind in ("HUGEINT", "UHUGEINT")]
    if not wide:
        return relation
    casts = ", ".join(f"CAST({name_of(n)} AS {schema[n]}) AS {name_of(n)}" for n in wide)
    return f"SELECT * REPLACE ({casts}) FROM ({relation})"


def spread(session: Session, rows: Any) -> Held:
    """Everybody gets everything. `rows` is a reader of Arrow batches, or a table."""
    return exchange(session, rows, _to_all)


def exchange(session: Session, reader: Any, address: Any, *, in_memory: bool = False) -> Held:
    """Send batch by batch, and keep what arrives meanwhile."""
    schema = reader.schema
    targeted = address is to_one
    if targeted:
        schema = schema.remove(len(schema) - 1)
    _agree_on(session, schema)
    held = Held(session.store, schema, in_memory=in_memory)
    if session.ranks.world == 1:
        for batch in _batches_of(reader):
            held.add(batch.select(schema.names))
        return held
    way = session.open_exchange()
    for batch in _batches_of(reader):
        for rank, part in address(session, batch):
            if rank == session.ranks.rank:
                held.add(part)
                continue
            for piece in _pieces(part):
                for frame in way.send(rank, piece.serialize(), piece.num_rows):
                    _keep(frame, held, way, schema)
        for frame in way.arrived():
            _keep(frame, held, way, schema)
    for frame in way.rest():
        _keep(frame, held, way, schema)
    return held


def _agree_on(session: Session, schema: Any) -> None:
    text = {field.name: str(field.type) for field in schema}
    for rank, other in enumerate(session.share(text)):
        if other != text:
            raise FramesError(f"the columns of rank {rank} are {other}, here they are {text}")


def _batches_of(reader: Any) -> Iterator[Any]:
    yield from (reader.to_batches() if hasattr(reader, "to_batches") else reader)


def to_one(session: Session, batch: Any) -> Iterator[Tuple[int, Any]]:
    numpy = engines.numpy()
    last = batch.num_columns - 1
    targets = batch.column(last).to_numpy(zero_copy_only=False).astype(numpy.uint16)
    order = numpy.argsort(targets, kind="stable")  # a radix sort, for 16 bits
    counts = numpy.bincount(targets, minlength=session.ranks.world)
    ordered = batch.select(batch.schema.names[:last]).take(engines.arrow().array(order))
    begin = 0
    for rank, count in enumerate(counts.tolist()):
        if count:
            yield rank, ordered.slice(begin, count)
        begin += count


def _to_all(session: Session, batch: Any) -> Iterator[Tuple[int, Any]]:
    for rank in range(session.ranks.world):
        yield rank, batch


def _pieces(batch: Any) -> List[Any]:
    count = max(1, -(-batch.nbytes // PIECE_BYTES))
    rows = max(1, -(-batch.num_rows // count))
    return [batch.slice(at, rows) for at in range(0, batch.num_rows, rows)]


def _keep(frame: Frame, held: Held, way: Exchange, schema: Any) -> None:
    """Arrow IPC: numbers and text at offsets, nothing that runs."""
    arrow = engines.arrow()
    batch = arrow.ipc.read_record_batch(arrow.py_buffer(frame.payload), schema)
    batch.validate()
    way.count(frame.rank, batch.num_rows)
    held.add(batch)
