"""From a source to a goal without a network: what arrives is verified, what is wrong is asked for again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from diamond.core.errors import BadRequest, DataChanged
from diamond.data.arriving import Arrival
from diamond.data.manifest import Entry, FileEntry, files_of, load_manifest
from diamond.data.packing import Source, plan_pieces, read_piece
from diamond.data.scanning import scan
from diamond.data.wants import BLOCK, LARGE, Wants, decode_wants, encode_wants

PIECE = 1 << 20


class Pair:
    def __init__(self, folder: Path) -> None:
        self.folder, self.source = folder, folder / "source"
        self.source.mkdir()
        self.tree: list[Entry] = []

    def put(self, name: str, content: bytes) -> Path:
        file = self.source / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        return file

    def scan(self) -> list[Entry]:
        done = scan(str(self.source), manifest=self.folder / "m", state=self.folder / "s")
        self.tree = load_manifest(self.folder / "m", done.summary.digest)
        return self.tree

    def arrival(self) -> Arrival:
        arrival = Arrival(self.folder / "arriving", self.tree)
        arrival.begin()
        return arrival

    def pieces(self, wants: Wants) -> list[bytes]:
        files = files_of(self.tree)
        wants = decode_wants(encode_wants(wants), files)
        source = Source(str(self.source), files)
        planned = plan_pieces(files, wants, piece=PIECE, extents=source.extents)
        return [b"".join(source.fill(frames)) for frames in planned]


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def bring(pair: Pair, arrival: Arrival, compared: set[int] | None = None) -> int:
    """Rounds until nothing is missing; the bytes that were carried."""
    moved = 0
    for _ in range(10):
        wants = arrival.wants(compared or set())
        if wants.is_empty:
            return moved
        for piece in pair.pieces(wants):
            moved += len(piece)
            arrival.take(piece)
        arrival.end_round()
    raise AssertionError("it never ends")


def test_a_tree_arrives_whole(pair: Pair) -> None:
    for number in range(50):
        pair.put(f"small/{number}", os.urandom(1000))
    big = pair.put("big", os.urandom(3 * PIECE + 5))
    pair.put("none", b"")
    pair.put("run", b"#!").chmod(0o755)
    (pair.source / "link").symlink_to("big")
    (pair.source / "empty").mkdir()
    pair.scan()
    arrival = pair.arrival()
    bring(pair, arrival)
    arrival.finish()
    assert (arrival.root / "big").read_bytes() == big.read_bytes()
    assert (arrival.root / "link").readlink() == Path("big")
    assert (arrival.root / "empty").is_dir()
    assert (arrival.root / "run").stat().st_mode & 0o777 == 0o555
    assert (arrival.root / "big").stat().st_mode & 0o777 == 0o444
    assert (arrival.root / "small").stat().st_mode & 0o777 == 0o555
    assert arrival.bytes == sum(file.size for file in files_of(pair.tree))


def test_holes_stay_holes_and_do_not_travel(pair: Pair) -> None:
    file = pair.source / "sparse"
    with file.open("wb") as out:
        out.truncate(200 << 20)
        out.seek(100 << 20)
        out.write(b"data")
    pair.scan()
    arrival = pair.arrival()
    assert bring(pair, arrival) < 1 << 20
    found = arrival.root / "sparse"
    assert found.stat().st_size == 200 << 20 and found.stat().st_blocks * 512 < 1 << 20
    with found.open("rb") as copy:
        copy.seek(100 << 20)
        assert copy.read(5) == b"data\0"


def test_what_has_arrived_is_not_asked_for_again(pair: Pair) -> None:
    for number in range(20):
        pair.put(f"s{number:02}", os.urandom(100_000))
    pair.put("t-large", os.urandom(5 * PIECE))
    pair.scan()
    first = pair.arrival()
    for piece in pair.pieces(first.wants(set()))[:4]:
        first.take(piece)
    first.close()
    again = pair.arrival()
    assert 0 < again.bytes == first.bytes
    moved = bring(pair, again)
    assert moved < sum(file.size for file in files_of(pair.tree)) - first.bytes + 100_000


@pytest.mark.parametrize("size", [2 * PIECE + 5, LARGE + PIECE])
def test_a_file_that_had_come_whole_in_parts_counts_after_a_crash(pair: Pair, size: int) -> None:
    """Nothing is left to ask for: whoever asked for it again would wait for ever."""
    pair.put("a", os.urandom(size))
    pair.put("b", b"later")
    pair.scan()
    first = pair.arrival()
    for piece in pair.pieces(Wants(whole=[(0, 1)])):
        first.take(piece)
    assert first.missing() == [1]
    again = pair.arrival()
    assert again.missing() == [1] and again.bytes == size
    bring(pair, again)
    assert not again.missing()


def test_a_file_of_an_earlier_try_that_was_damaged_is_fetched_again(pair: Pair) -> None:
    pair.put("a", b"right")
    pair.scan()
    first = pair.arrival()
    bring(pair, first)
    damaged = first.root / "a"
    damaged.chmod(0o600)
    damaged.write_bytes(b"wrong")
    again = pair.arrival()
    assert again.missing() == [0]
    bring(pair, again)
    assert damaged.read_bytes() == b"right"


def test_a_tampered_small_file_is_not_written_and_asked_for_again(pair: Pair) -> None:
    pair.put("a", b"right")
    pair.scan()
    arrival = pair.arrival()
    piece = pair.pieces(arrival.wants(set()))[0]
    arrival.take(piece.replace(b"right", b"wrong"))
    assert not (arrival.root / "a").exists() and arrival.missing() == [0]
    bring(pair, arrival)
    assert (arrival.root / "a").read_bytes() == b"right"


def test_a_tampered_block_of_a_large_file_is_fetched_alone(pair: Pair) -> None:
    content = os.urandom(4 * BLOCK)
    pair.put("large", content)
    pair.scan()
    arrival = pair.arrival()
    for number, piece in enumerate(pair.pieces(arrival.wants(set()))):
        arrival.take(piece[:-9] + bytes(9) if number == 3 else piece)
    arrival.end_round()
    assert arrival.missing() == [0]
    moved = bring(pair, arrival)
    assert moved < 2 * BLOCK
    assert (arrival.root / "large").read_bytes() == content


def test_bytes_that_are_wrong_again_and_again_end_it_with_the_name(pair: Pair) -> None:
    pair.put("a/file", b"right")
    pair.scan()
    arrival = pair.arrival()
    piece = pair.pieces(arrival.wants(set()))[0].replace(b"right", b"wrong")
    with pytest.raises(DataChanged, match="a/file"):
        for _ in range(5):
            arrival.take(piece)


def test_a_changed_file_moves_its_changed_blocks(pair: Pair) -> None:
    old = os.urandom(8 * BLOCK)
    before = pair.folder / "before"
    before.write_bytes(old)
    pair.put("file", old[: 5 * BLOCK] + b"changed" + old[5 * BLOCK + 7 :] + b"appended")
    pair.scan()
    arrival = pair.arrival()
    for piece in pair.pieces(arrival.wants({0})):
        arrival.take(piece)
    arrival.lay_blocks(0, str(before))
    moved = bring(pair, arrival, {0})
    assert moved < 1.1 * BLOCK
    assert (arrival.root / "file").read_bytes() == (pair.source / "file").read_bytes()


def test_a_file_that_lies_here_already_is_taken_if_it_is_right(pair: Pair) -> None:
    pair.put("a", b"right")
    pair.scan()
    arrival = pair.arrival()
    other = pair.folder / "other"
    other.write_bytes(b"wrong")
    assert not arrival.lay(0, str(other), may_link=True)
    assert other.read_bytes() == b"wrong" and arrival.missing() == [0]
    other.write_bytes(b"right")
    assert arrival.lay(0, str(other), may_link=True)
    assert arrival.wants(set()).is_empty


def test_a_source_that_is_shorter_or_gone_says_so(pair: Pair) -> None:
    file = pair.put("a", b"right")
    pair.scan()
    wants = pair.arrival().wants(set())
    file.write_bytes(b"r")
    with pytest.raises(DataChanged, match="a is not as it was registered"):
        pair.pieces(wants)
    file.unlink()
    with pytest.raises(DataChanged, match="No such file"):
        pair.pieces(wants)


@pytest.mark.parametrize(
    "wants",
    [
        Wants(whole=[(0, 2)]),
        Wants(whole=[(1, 1)]),
        Wants(ranges=[(0, 0, 6)]),
        Wants(ranges=[(0, 6, 1)]),
        Wants(ranges=[(1, 0, 1)]),
        Wants(digests=[1]),
    ],
)
def test_wants_that_do_not_fit_the_tree_are_rejected(wants: Wants) -> None:
    with pytest.raises(BadRequest):
        decode_wants(encode_wants(wants), [FileEntry("a", 5, "0" * 64)])


@pytest.mark.parametrize("data", [b"", b"DW1\n", b"DW1\nxx", b"XX"])
def test_wants_that_cannot_be_read_are_rejected(data: bytes) -> None:
    with pytest.raises(BadRequest):
        decode_wants(data, [])


def test_a_piece_that_does_not_fit_the_tree_is_rejected(pair: Pair) -> None:
    pair.put("a", b"right")
    pair.scan()
    piece = pair.pieces(pair.arrival().wants(set()))[0]
    for hostile in (b"", b"DPK1", piece[:20], piece[:-1], b"XXXX" + piece[4:]):
        with pytest.raises(BadRequest):
            list(read_piece(hostile, files_of(pair.tree)))
    with pytest.raises(BadRequest):
        list(read_piece(piece, []))
