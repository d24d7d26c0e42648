"""Batches of a frame for a training, from memory.

Every rank has equally many steps. Which rows are used in which order follows from the rows and the seed alone, so a
training continues in the middle of an epoch with any number of ranks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from diamond.frames import engines
from diamond.frames.errors import FramesError
from diamond.frames.order import owners, positions
from diamond.frames.shuffle import TARGET, exchange, shuffle, to_one
from diamond.frames.sql import name_of, named, names

if TYPE_CHECKING:
    from diamond.frames.frame import Frame

Tensors = Mapping[str, Union[str, Sequence[str]]]
FORMATS = ("numpy", "torch", "tensorflow")
_HASH, _NUMBER = "__hash", "__number"
_INTEGERS = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
)


class Loader:
    """Iterate once for each epoch; keep `state_dict()` in a checkpoint and give it to `load_state_dict`.

    All ranks iterate together. At the beginning of an epoch each rank receives the rows that it uses in it.
    """

    def __init__(
        self,
        frame: Frame,
        batch_size: int,
        *,
        tensors: Optional[Tensors] = None,
        seed: int = 0,
        shuffle: bool = True,
        drop_last: bool = False,
        key: Sequence[str] = (),
        format: str = "torch",
    ) -> None:
        """`batch_size` is per rank.

        `tensors` names what a batch has: a column, or several that become the columns of a matrix of float32. By default,
        every column. `key` names columns that identify a row; by default, all columns do. It is needed where numbers
        differ in their last digits with another number of ranks, such as sums of fractions.
        Without `shuffle`, rows come in the order of the sorted frame. Without `drop_last`, a few rows are used twice, so
        that all ranks have equally many.
        """
        self.batch_size, self.seed, self.format = batch_size, seed, format
        self.epoch = 0
        """The epoch of the next batch: `for epoch in range(loader.epoch, epochs)`."""
        self._taken = 0
        """Samples of this epoch that all ranks together have used."""
        self._resumed = False
        self._shuffle, self._drop_last = shuffle, drop_last
        self._session = frame.session
        with self._session.operation(f"loader({batch_size}, seed={seed}, shuffle={shuffle})"):
            if format not in FORMATS:
                raise FramesError(f"format={format!r}: it must be one of {', '.join(FORMATS)}")
            if batch_size < 1:
                raise FramesError(f"batch_size={batch_size}: it must be at least 1")
            self._tensors = _checked_tensors(frame, tensors)
            self._place(frame, [str(name) for name in key])

    def __len__(self) -> int:
        """Batches of this rank in a whole epoch: as many as on every other rank."""
        own = self._count // self._world if self._drop_last else -(-self._count // self._world)
        return own // self.batch_size if self._drop_last else -(-own // self.batch_size)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        resumed, self._resumed = self._resumed, False
        if self._taken >= self._count and not resumed:
            self._go_to(self.epoch + 1, 0)
        epoch, start = self.epoch, self._taken
        arrays = self._rows_of(epoch, start)
        yield from self._batches(arrays, epoch, start)
        self._go_to(epoch + 1, 0)

    def state_dict(self) -> Dict[str, Any]:
        return {
            "epoch": self.epoch,
            "taken": self._taken,
            "seed": self.seed,
            "rows": self._count,
            "content": self._content,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue there, with any number of ranks. The rows must be the same."""
        if (int(state["rows"]), str(state["content"])) != (self._count, self._content):
            raise FramesError(
                f"the checkpoint was made with {state['rows']} rows, these are {self._count}, or they have other values: the order would differ. If numbers differ only in their last digits, name columns that identify a row: loader(key=[…])"
            )
        self.seed = int(state["seed"])
        self._go_to(int(state["epoch"]), int(state["taken"]))
        self._resumed = True

    def tensorflow_dataset(self, epochs: int) -> Any:
        """The remaining epochs as a `tf.data.Dataset` of dictionaries, for Keras and others."""
        tensorflow = engines.engine("tensorflow")
        sample = {
            name: self._convert(column[:0]) for name, column in self._arrays_of(self._rows).items()
        }
        signature = {
            name: tensorflow.TensorSpec((None, *value.shape[1:]), value.dtype)
            for name, value in sample.items()
        }

        def batches() -> Iterator[Dict[str, Any]]:
            while self.epoch < epochs:
                yield from self

        return tensorflow.data.Dataset.from_generator(batches, output_signature=signature)

    @property
    def _world(self) -> int:
        return self._session.ranks.world

    def _go_to(self, epoch: int, taken: int) -> None:
        self.epoch, self._taken = epoch, min(taken, self._count)

    def _place(self, frame: Frame, key: List[str]) -> None:
        """Give each row its place in an order that does not depend on the ranks, and hold this rank's part of it."""
        frame._has(key)
        columns = _columns_of(self._tensors)
        numbers = {f"c{at}": _as_number(frame, name) for at, name in enumerate(columns)}
        self._column_of = {name: f"c{at}" for at, name in enumerate(columns)}
        hashed = f"hash({names(key or frame.columns)})"
        if self._shuffle or not frame.is_sorted:
            chosen = f"{named(numbers)}, {hashed} AS {_HASH}"
            target = f"((({_HASH} >> 32) * {self._world}) >> 32)::UINTEGER AS {TARGET}"
            text = f"SELECT *, {target} FROM (SELECT {chosen} FROM ({frame.relation}))"
            rows = shuffle(self._session, text)
            order = names([_HASH, *numbers])
            text = f"SELECT * FROM ({rows.relation}) ORDER BY {order}"
        else:
            text = f"SELECT {named(numbers)}, {hashed} AS {_HASH} FROM ({frame.relation})"
        found = self._session.store.table(text, in_order=True)
        self._remember(frame, found, key, columns)

    def _remember(self, frame: Frame, found: Any, key: List[str], columns: List[str]) -> None:
        numpy = engines.numpy()
        hashes = found.column(_HASH).to_numpy()
        self._rows = found.drop_columns([_HASH]).combine_chunks()
        own = {
            "rows": found.num_rows,
            "hash": int(hashes.sum(dtype=numpy.uint64)),
            "problem": _problem(
                self._rows, hashes, columns, self._session.store.memory, bool(key) and self._shuffle
            ),
        }
        everybody = self._session.share(own)
        for rank, other in enumerate(everybody):
            if other["problem"]:
                raise FramesError(f"{other['problem']} (on rank {rank})")
        counts = [int(other["rows"]) for other in everybody]
        self._count = sum(counts)
        self._begin = sum(counts[: self._session.ranks.rank])
        self._content = f"{sum(int(other['hash']) for other in everybody) % 2**64:016x}"
        if not self._count:
            raise FramesError("no rows are left for the training: check the filters and joins")

    def _rows_of(self, epoch: int, taken: int) -> Dict[str, Any]:
        """What this rank uses of an epoch, in order."""
        numpy = engines.numpy()
        with self._session.operation(f"epoch {epoch} after {taken} samples"):
            place = numpy.arange(self._begin, self._begin + self._rows.num_rows, dtype=numpy.int64)
            if self._shuffle:
                place = positions(self._count, place, seed=self.seed, epoch=epoch)
            index, number, rank = owners(
                place, count=self._count, taken=taken, world=self._world, even=not self._drop_last
            )
            arrow = engines.arrow()
            rows = self._rows.take(arrow.array(index))
            rows = rows.append_column(_NUMBER, arrow.array(number))
            rows = rows.append_column(TARGET, arrow.array(rank.astype(numpy.uint32)))
            if self._world > 1:
                rows = exchange(self._session, rows, to_one, in_memory=True).as_table()
            order = numpy.argsort(rows.column(_NUMBER).to_numpy(), kind="stable")
            return self._arrays_of(rows, order)

    def _arrays_of(self, rows: Any, order: Any = None) -> Dict[str, Any]:
        numpy = engines.numpy()
        made = {}
        for name, source in self._tensors.items():
            columns = [source] if isinstance(source, str) else list(source)
            arrays = [_array(rows.column(self._column_of[column])) for column in columns]
            arrays = arrays if order is None else [array[order] for array in arrays]
            if isinstance(source, str):
                made[name] = arrays[0]
            else:
                made[name] = numpy.stack(arrays, axis=1).astype(numpy.float32, copy=False)
        return made

    def _batches(self, arrays: Dict[str, Any], epoch: int, start: int) -> Iterator[Dict[str, Any]]:
        length = len(next(iter(arrays.values())))
        if self._drop_last:
            length -= length % self.batch_size
        for at in range(0, length, self.batch_size):
            end = min(at + self.batch_size, length)
            self._go_to(epoch, start + end * self._world)
            yield {name: self._convert(array[at:end]) for name, array in arrays.items()}

    def _convert(self, array: Any) -> Any:
        if self.format == "torch":
            return engines.engine("torch").from_numpy(array)
        if self.format == "tensorflow":
            return engines.engine("tensorflow").convert_to_tensor(array)
        return array


def _checked_tensors(frame: Frame, tensors: Optional[Tensors]) -> Tensors:
    wanted: Tensors = dict(tensors) if tensors else {name: name for name in frame.columns}
    if not wanted:
        raise FramesError("tensors names no column")
    frame._has(_columns_of(wanted))
    return wanted


def _columns_of(tensors: Tensors) -> List[str]:
    columns: List[str] = []
    for source in tensors.values():
        columns += [source] if isinstance(source, str) else list(source)
    return list(dict.fromkeys(columns))


def _as_number(frame: Frame, column: str) -> str:
    """SQL for a column as a number or a list of numbers, which is all that a tensor can hold."""
    kind = frame.schema[column]
    inner = kind.partition("[")[0] if kind.endswith("]") else kind
    if inner in (*_INTEGERS, "FLOAT", "DOUBLE", "BOOLEAN"):
        return name_of(column)
    if inner in ("HUGEINT", "UHUGEINT") or inner.startswith("DECIMAL"):
        return f"CAST({name_of(column)} AS DOUBLE{kind[len(inner) :]})"
    raise FramesError(
        f"the column {column!r} is {kind}, and a tensor holds only numbers: leave it out with select, or convert it, as in with_columns({column}='…::BIGINT')"
    )


def _problem(rows: Any, hashes: Any, columns: Sequence[str], memory: int, unique: bool) -> str:
    """What keeps these rows from becoming tensors; '' if nothing does."""
    numpy = engines.numpy()
    for name, column in zip(columns, rows.columns):
        if column.null_count:
            return f"the column {name!r} has {column.null_count} nulls: filter them out, or replace them with coalesce"
        lengths = _lengths(column)
        if lengths is not None and len(lengths) > 1:
            return f"the lists in the column {name!r} have different lengths, such as {lengths[:2]}"
    if rows.nbytes > memory:
        return f"the rows need {rows.nbytes >> 20} MB on one rank, and frames may use {memory >> 20} MB: use more ranks or fewer columns, or frames.start(memory=…)"
    if unique and len(hashes) > 1 and numpy.any(hashes[1:] == hashes[:-1]):
        return "several rows have the same `key`, so their order is not determined: name columns that identify a row"
    return ""


def _lengths(column: Any) -> Optional[List[int]]:
    """The lengths of lists that occur, at most a few; None for a column of numbers."""
    arrow = engines.arrow()
    if not arrow.types.is_list(column.type):
        return None
    return sorted(engines.engine("pyarrow.compute").list_value_length(column).unique().to_pylist())


def _array(column: Any) -> Any:
    """As numpy; lists of equal lengths become rows of a matrix."""
    arrow = engines.arrow()
    if arrow.types.is_list(column.type):
        flat = engines.engine("pyarrow.compute").list_flatten(column).to_numpy(zero_copy_only=False)
        return flat.reshape(len(column), -1) if len(column) else flat.reshape(0, 0)
    return column.to_numpy() if hasattr(column, "chunks") else column.to_numpy(zero_copy_only=False)
