"""Rows that are divided among the ranks, and what can be done with them.

`filter`, `select` and `with_columns` cost nothing: they become part of the SQL that each rank runs later. `join`, `group`,
`sort` and `window` bring rows together that belong together; what they compute from these is again SQL that runs later.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from diamond.frames.errors import FramesError
from diamond.frames.session import Session
from diamond.frames.shuffle import TARGET, Rows, as_before, hash_target, shuffle, spread
from diamond.frames.sql import name_of, named, names, sort_terms, split, text_of
from diamond.frames.store import Schema

if TYPE_CHECKING:
    from diamond.frames.loader import Loader

Columns = Union[str, Sequence[str]]
SMALL_BYTES = 32 << 20
"""A table up to this size is copied to every rank of a join: then the other one need not move at all."""
_SAMPLE_ROWS = 2000
_JOINS = ("inner", "left", "right", "full", "semi", "anti")


class Frame:
    """Made by `read`, `table` and other frames. Nothing changes a frame."""

    def __init__(
        self,
        session: Session,
        relation: str,
        keep: Tuple[Any, ...] = (),
        *,
        rows_at_most: Optional[int] = None,
        is_sorted: bool = False,
        is_filtered: bool = False,
    ) -> None:
        self.session, self.relation = session, relation
        self.is_sorted = is_sorted
        self._keep = keep
        """Tables that the SQL reads; they are dropped with the last frame that needs them."""
        self._rows_at_most, self._is_filtered = rows_at_most, is_filtered
        """A filtered frame may have far fewer rows."""
        self._schema: Optional[Schema] = None

    @property
    def schema(self) -> Schema:
        """The columns in order, with DuckDB's names of their types."""
        if self._schema is None:
            self._schema = self.session.store.schema(self.relation)
        return self._schema

    @property
    def columns(self) -> List[str]:
        return list(self.schema)

    def filter(self, condition: str) -> Frame:
        """The rows for which an SQL condition holds: `filter("fare > 0 AND zone IS NOT NULL")`."""
        return self._local(f"SELECT * FROM ({self.relation}) WHERE {condition}", filtered=True)

    def select(self, *columns: str, **expressions: str) -> Frame:
        """Only these columns, and new ones from SQL expressions: `select("zone", km="distance * 1.6")`."""
        self._has(columns)
        wanted = ", ".join(filter(None, [names(columns), named(expressions)]))
        return self._local(f"SELECT {wanted} FROM ({self.relation})")

    def with_columns(self, **expressions: str) -> Frame:
        """All columns, and new or changed ones from SQL expressions."""
        kept = [name for name in self.columns if name not in expressions]
        wanted = ", ".join(filter(None, [names(kept), named(expressions)]))
        return self._local(f"SELECT {wanted} FROM ({self.relation})")

    def join(self, other: Frame, on: Columns, *, how: str = "inner") -> Frame:
        """Rows of both with equal values in the columns `on`."""
        keys = _listed(on)
        with self.session.operation(f"join(on={keys}, how={how!r})"):
            if how not in _JOINS:
                raise FramesError(f"how={how!r}: it must be one of {', '.join(_JOINS)}")
            self._has(keys)
            other._has(keys)
            twice = [name for name in self.columns if name in other.columns and name not in keys]
            if twice and how not in ("semi", "anti"):
                raise FramesError(
                    f"both frames have the column {twice[0]!r}: leave it out of one, or rename it, with select"
                )
            kinds = _key_kinds(self, other, keys)
            left, right, keep = self._with(kinds)._brought_together(other._with(kinds), keys, how)
            joint = f"{how.upper()} JOIN ({{}}) USING ({names(keys)})"
            plain = f"SELECT * FROM ({self.relation}) {joint.format(other.relation)}"
            text = f"SELECT * FROM ({left}) {joint.format(right)}"
            return Frame(self.session, text, keep)._with(self.session.store.schema(plain))

    def group(self, by: Columns, **aggregates: str) -> Frame:
        """One row per group, with SQL aggregates: `group("zone", rides="count(*)", mean="avg(fare)")`."""
        keys = _listed(by)
        with self.session.operation(f"group({keys}, {list(aggregates)})"):
            self._has(keys)
            if not keys:
                raise FramesError("group needs at least one column; totals() is for all rows")
            splits = {name: split(name, text) for name, text in aggregates.items()}
            whole = {name: found.whole for name, found in splits.items() if found}
            if len(whole) < len(splits):
                rows, wanted = self._moved(hash_target(names(keys), self._world)), aggregates
            else:
                rows, wanted = self._grouped_here(keys, splits), whole
            chosen = ", ".join(
                filter(None, [names(keys), named(_same_types(self, aggregates, wanted))])
            )
            text = f"SELECT {chosen} FROM ({rows.relation}) GROUP BY {names(keys)}"
            return Frame(self.session, text, (*rows.keep, *self._keep))

    def totals(self, **aggregates: str) -> Dict[str, Any]:
        """SQL aggregates over all rows, on every rank: `totals(mean="avg(fare)", rows="count(*)")`."""
        with self.session.operation(f"totals({list(aggregates)})"):
            splits = {name: split(name, text) for name, text in aggregates.items()}
            missing = [name for name, found in splits.items() if found is None]
            if missing:
                raise FramesError(
                    f"{aggregates[missing[0]]!r}: totals can count, sum, min, max and avg; use group for others"
                )
            parts = {k: v for found in splits.values() if found for k, v in found.parts.items()}
            part = self.session.store.table(f"SELECT {named(parts)} FROM ({self.relation})")
            relation, keep = spread(self.session, part).relation()
            whole = {name: found.whole for name, found in splits.items() if found}
            chosen = named(_same_types(self, aggregates, whole))
            rows = self.session.store.run(f"SELECT {chosen} FROM ({relation})")
            del keep
            return dict(zip(aggregates, rows[0]))

    def sort(self, *by: str) -> Frame:
        """In the order of these columns over all ranks; a minus before a column reverses it. Equal rows follow the other columns."""
        terms = sort_terms(by)
        with self.session.operation(f"sort({list(by)})"):
            self._has([column for column, _ in terms])
            terms += [(name, "ASC") for name in self.columns if name not in dict(terms)]
            rows = self._here()
            key = ", ".join(f"{name_of(column)}, '{way} NULLS LAST'" for column, way in terms)
            key = f"create_sort_key({key})"
            target = _range_target(key, self._splitters(rows, key))
            here = Frame(self.session, rows.relation, rows.keep)
            rows = here._moved(f"{target} AS {TARGET}")
            order = ", ".join(f"{name_of(column)} {way} NULLS LAST" for column, way in terms)
            text = f"SELECT * FROM ({rows.relation}) ORDER BY {order}"
            return Frame(
                self.session, text, rows.keep, rows_at_most=self._rows_at_most, is_sorted=True
            )

    def window(self, by: Columns, order: Columns, *, rows: str = "", **expressions: str) -> Frame:
        """New columns from the neighbours of a row, among rows with equal `by` in the order of `order`.

        `window("station", "day", before="lag(flow)", week="avg(flow)", rows="BETWEEN 6 PRECEDING AND CURRENT ROW")`
        """
        keys, ordered = _listed(by), _listed(order)
        with self.session.operation(f"window({keys}, {ordered}, {list(expressions)})"):
            terms = sort_terms(ordered)
            self._has([*keys, *(column for column, _ in terms)])
            if not keys or not terms:
                raise FramesError("window needs `by` and `order`: a column each, at least")
            moved = self._moved(hash_target(names(keys), self._world))
            taken = {*keys, *dict(terms)}
            terms += [(name, "ASC") for name in self.columns if name not in taken]
            order_by = ", ".join(f"{name_of(column)} {way} NULLS LAST" for column, way in terms)
            over = (
                f"(PARTITION BY {names(keys)} ORDER BY {order_by}{f' ROWS {rows}' if rows else ''})"
            )
            new = ", ".join(
                f"{text} OVER {over} AS {name_of(n)}" for n, text in expressions.items()
            )
            kept = names([name for name in self.columns if name not in expressions])
            text = f"SELECT {kept}, {new} FROM ({moved.relation})"
            made = Frame(self.session, text, moved.keep, rows_at_most=self._rows_at_most)
            return made._checked()

    def kept(self) -> Frame:
        """The same rows, computed now and kept: for a frame that is used more than once."""
        with self.session.operation("kept"):
            rows = self._here()
            most = sum(self.session.share(rows.count))
            return Frame(
                self.session, rows.relation, rows.keep, rows_at_most=most, is_sorted=self.is_sorted
            )

    def count(self) -> int:
        """Rows on all ranks together."""
        with self.session.operation("count"):
            own = self.session.store.run(f"SELECT count(*) FROM ({self.relation})")[0][0]
            return int(sum(self.session.share(int(own))))

    def to_arrow(self) -> Any:
        """This rank's rows as an Arrow table."""
        with self.session.operation("to_arrow"):
            rows = self.session.store.table(self.relation, in_order=self.is_sorted)
            self.session.share("done")
            return rows

    def gather(self) -> Any:
        """The rows of all ranks as an Arrow table, on every rank; in order if the frame is sorted."""
        with self.session.operation("gather"):
            return _gathered(self)

    def to_pandas(self) -> Any:
        """This rank's rows as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def write(self, folder: Union[str, Path]) -> Path:
        """As Parquet files, one per rank, in a new or empty folder."""
        place = Path(folder)
        with self.session.operation(f"write({str(folder)!r})"):
            if self.session.ranks.rank == 0:
                if place.exists() and any(place.iterdir()):
                    raise FramesError(f"{place} is not empty: choose another folder")
                place.mkdir(parents=True, exist_ok=True)
            self.session.share("the folder is there")
            file = place / f"part-{self.session.ranks.rank:05}.parquet"
            self.session.store.run(
                f"COPY ({self.relation}) TO {text_of(str(file))} (FORMAT parquet)"
            )
            self.session.share("written")
        return place

    def loader(self, batch_size: int, **options: Any) -> Loader:
        """Batches for a training: see `Loader`."""
        from diamond.frames.loader import Loader

        return Loader(self, batch_size, **options)

    @property
    def _world(self) -> int:
        return self.session.ranks.world

    def _local(self, text: str, *, filtered: bool = False) -> Frame:
        with self.session.operation("an expression"):
            return Frame(
                self.session,
                text,
                self._keep,
                rows_at_most=self._rows_at_most,
                is_sorted=self.is_sorted,
                is_filtered=self._is_filtered or filtered,
            )._checked()

    def _checked(self) -> Frame:
        """A wrong expression is an error now, not when the rows are needed."""
        self._schema = self.session.store.schema(self.relation)
        return self

    def _has(self, columns: Sequence[str]) -> None:
        for name in columns:
            if name not in self.schema:
                raise FramesError(f"no column {name!r}: there are {', '.join(self.columns)}")

    def _with(self, kinds: Schema) -> Frame:
        """The same rows, with some columns in other types."""
        if all(self.schema[name] == kind for name, kind in kinds.items()):
            return self
        columns = ", ".join(
            f"CAST({name_of(name)} AS {kinds[name]}) AS {name_of(name)}"
            if name in kinds
            else name_of(name)
            for name in self.columns
        )
        text = f"SELECT {columns} FROM ({self.relation})"
        return Frame(
            self.session,
            text,
            self._keep,
            rows_at_most=self._rows_at_most,
            is_filtered=self._is_filtered,
        )

    def _here(self) -> Rows:
        """Computed and kept on this rank."""
        from diamond.frames.store import Held

        reader = self.session.store.batches(self.relation, in_order=self.is_sorted)
        held = Held(self.session.store, reader.schema)
        for batch in reader:
            held.add(batch)
        relation, keep = held.relation()
        return Rows(as_before(relation, self.schema), (keep,), held.rows)

    def _moved(self, target: str) -> Rows:
        """Each row at the rank that the expression names."""
        if self._world == 1:
            return Rows(self.relation, self._keep, -1)
        return shuffle(self.session, f"SELECT *, {target} FROM ({self.relation})")

    def _grouped_here(self, keys: Sequence[str], splits: Mapping[str, Any]) -> Rows:
        """A row per group and rank, at the group's rank: far fewer rows move."""
        parts = {k: v for found in splits.values() for k, v in found.parts.items()}
        chosen = ", ".join(filter(None, [names(keys), named(parts)]))
        text = f"SELECT {chosen} FROM ({self.relation}) GROUP BY {names(keys)}"
        return Frame(self.session, text, self._keep)._moved(hash_target(names(keys), self._world))

    def _brought_together(
        self, other: Frame, keys: Sequence[str], how: str
    ) -> Tuple[str, str, Tuple[Any, ...]]:
        """Both sides of a join so that equal keys are on one rank."""
        keep = (*self._keep, *other._keep)
        if self._world == 1:
            return self.relation, other.relation, keep
        right, size = other._measured()
        if how in ("inner", "left", "semi", "anti") and self._copies(size):
            held = spread(self.session, self.session.store.batches(right.relation))
            relation, token = held.relation()
            return self.relation, as_before(relation, right.schema), (*self._keep, token)
        target = hash_target(names(keys), self._world)
        left, moved = self._moved(target), right._moved(target)
        return left.relation, moved.relation, (*left.keep, *moved.keep)

    def _measured(self) -> Tuple[Frame, int]:
        """The same rows, and about how many bytes they have on all ranks; computed first if that is not known."""
        width = _row_bytes(self.schema)
        if self._rows_at_most is not None and not self._is_filtered:
            return self, self._rows_at_most * width
        rows = self._here()
        count = sum(self.session.share(rows.count))
        return Frame(self.session, rows.relation, rows.keep), count * width

    def _copies(self, right_bytes: int) -> bool:
        """Whether to copy the right side to all ranks rather than to move both."""
        if right_bytes <= SMALL_BYTES:
            return True
        if self._rows_at_most is None:
            return False
        left_bytes = self._rows_at_most * _row_bytes(self.schema)
        return right_bytes * self._world < left_bytes

    def _splitters(self, rows: Rows, key: str) -> List[bytes]:
        """Keys that divide the rows about equally among the ranks, from a sample of each rank."""
        sample = self.session.store.run(
            f"SELECT {key} FROM (SELECT * FROM ({rows.relation}) USING SAMPLE reservoir({_SAMPLE_ROWS} ROWS) REPEATABLE (1))"
        )
        weight = rows.count / max(1, len(sample))
        own = [[bytes(row[0]).hex(), weight] for row in sample]
        found = sorted(
            (text, weight) for pairs in self.session.share(own) for text, weight in pairs
        )
        total = sum(weight for _, weight in found)
        splitters: List[bytes] = []
        done = 0.0
        for text, weight in found:
            done += weight
            bound = total * (len(splitters) + 1) / self._world
            if len(splitters) + 1 < self._world and done >= bound:
                splitters.append(bytes.fromhex(text))
        return splitters


def _gathered(frame: Frame) -> Any:
    """In the order of the ranks, which is the order of a sorted frame."""
    arrow_rows = frame.session.store.table(frame.relation, in_order=frame.is_sorted)
    if frame.session.ranks.world == 1:
        return arrow_rows
    from diamond.frames import engines

    rank = engines.arrow().array([frame.session.ranks.rank] * arrow_rows.num_rows, "uint32")
    place = engines.arrow().array(range(arrow_rows.num_rows), "uint64")
    marked = arrow_rows.append_column("__from", rank).append_column("__place", place)
    everything = spread(frame.session, marked).as_table()
    order = [("__from", "ascending"), ("__place", "ascending")]
    return everything.sort_by(order).drop_columns(["__from", "__place"])


def _same_types(
    frame: Frame, aggregates: Mapping[str, str], whole: Mapping[str, str]
) -> Dict[str, str]:
    """Sums of parts have a wider type than the sum itself would have."""
    schema = (
        frame.session.store.schema(f"SELECT {named(dict(aggregates))} FROM ({frame.relation})")
        if aggregates
        else {}
    )
    return {name: f"CAST({text} AS {schema[name]})" for name, text in whole.items()}


def _key_kinds(left: Frame, right: Frame, keys: Sequence[str]) -> Schema:
    """The type that both sides share, so that equal values have equal hashes."""
    for key in keys:
        kinds = (left.schema[key], right.schema[key])
        if kinds[0] != kinds[1] and "VARCHAR" in kinds:
            raise FramesError(
                f"the key {key!r} is {kinds[0]} on the left and {kinds[1]} on the right: convert one, as in with_columns({key}='{key}::{kinds[0]}')"
            )
    return left.session.store.schema(
        f"SELECT {names(keys)} FROM ({left.relation}) UNION ALL SELECT {names(keys)} FROM ({right.relation})"
    )


def _range_target(key: str, splitters: Sequence[bytes]) -> str:
    cases = [
        f"WHEN {key} <= '{_blob(splitter)}'::BLOB THEN {rank}::UINTEGER"
        for rank, splitter in enumerate(splitters)
    ]
    return f"CASE {' '.join(cases)} ELSE {len(splitters)}::UINTEGER END" if cases else "0::UINTEGER"


def _blob(value: bytes) -> str:
    return "".join(f"\\x{byte:02X}" for byte in value)


def _row_bytes(schema: Schema) -> int:
    """A rough size of a row, for the choice of a way only."""
    narrow = {"BOOLEAN": 1, "TINYINT": 1, "SMALLINT": 2, "INTEGER": 4, "FLOAT": 4, "DATE": 4}
    return sum(narrow.get(kind, 24 if kind == "VARCHAR" else 8) for kind in schema.values())


def _listed(columns: Columns) -> List[str]:
    return [columns] if isinstance(columns, str) else list(columns)
