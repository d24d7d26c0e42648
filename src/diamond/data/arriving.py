"""A tree that arrives: what has come is written under a temporary name, verified, and asked for again where it is wrong.

Nothing counts before its digest is verified here. A folder that an earlier try has left is continued.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Set, Tuple

from diamond.core.errors import DataChanged
from diamond.data.direct import LEAST_DIRECT, DirectWriter
from diamond.data.hashing import Hashed, Result, hash_files
from diamond.data.manifest import Entry, FileEntry, FolderEntry, LinkEntry, files_of
from diamond.data.packing import BYTES, DIGESTS, END, ZEROS, Frame, read_piece
from diamond.data.ranges import Ranges
from diamond.data.scanning import default_threads
from diamond.data.walking import FoundFile
from diamond.data.wants import BLOCK, LARGE, Wants

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PART = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_ZEROS = bytes(1 << 20)
_FICLONE = 0x40049409
"""Linux: share the blocks of two files (btrfs, XFS, some of NFS)."""
TOGETHER = 64
"""So many small files in a piece are worth a second thread."""
MOST_TRIES = 2
"""A file that arrives with other bytes so often will never be right."""


class Arrival:
    """`folder` is private and this transfer's own: no other name leads into it while it is written."""

    def __init__(self, folder: Path, entries: Sequence[Entry]) -> None:
        self._folder, self._entries = folder, entries
        self.root = folder / "tree"
        self.files: List[FileEntry] = files_of(entries)
        self.is_done = bytearray(len(self.files))
        self.bytes = self.files_done = 0
        self._tries: Dict[int, int] = {}
        self._parts: Dict[int, _Part] = {}
        self._digests: Dict[int, bytes] = {}
        self._log: List[str] = []
        self._direct = DirectWriter()
        self._beside = ThreadPoolExecutor(1)

    def begin(self) -> None:
        """Make the folders, and verify what an earlier try has left."""
        is_new = not self.root.exists()
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        for folder in _folders(self._entries):
            os.makedirs(f"{self.root}/{folder}", mode=0o700, exist_ok=True)  # noqa: PTH103
        if is_new:
            return
        left = self._left_parts()
        found = []
        for position, entry in enumerate(self.files):
            place = self.place(position)
            try:
                facts = os.lstat(place)
            except FileNotFoundError:
                continue
            begun = left.get(position)
            if begun and facts.st_size == entry.size and not begun.is_whole(entry.size):
                self._parts[position] = _Part(place, entry.size, begun)
                self.bytes += begun.count
            elif facts.st_size == entry.size:
                found.append(FoundFile(str(position), place, entry.size, "", False))
            else:
                os.unlink(place)  # noqa: PTH108
        self._verify(found)

    def place(self, position: int) -> str:
        return f"{self.root}/{self.files[position].path}"

    def missing(self) -> List[int]:
        return [position for position, done in enumerate(self.is_done) if not done]

    def look_again(self) -> None:
        """Files were laid here by another program: verify those that are new."""
        found = []
        for position in self.missing():
            size = self.files[position].size
            if os.path.isfile(self.place(position)) and not os.path.islink(self.place(position)):  # noqa: PTH113, PTH114
                found.append(FoundFile(str(position), self.place(position), size, "", False))
        self._verify(found)

    def lay(self, position: int, source: str, *, may_link: bool) -> bool:
        """Take a file from elsewhere on this machine, if its bytes are the right ones."""
        entry, target = self.files[position], self.place(position)
        mode = 0o555 if entry.is_executable else 0o444
        if not may_link or not _linked(source, target, mode):
            try:
                _copied(source, target)
                os.chmod(target, mode)  # noqa: PTH101
            except OSError:
                return False
        result: List[Result] = []
        hash_files([FoundFile("", target, entry.size, "", False)], threads=1, done=result.extend)
        if isinstance(result[0], Hashed) and result[0].sha256 == entry.sha256:
            self._count(position, entry.size)
            return True
        os.unlink(target)  # noqa: PTH108
        return False

    def lay_blocks(self, position: int, source: str) -> None:
        """Take the blocks of a file that another one here has too, by the digests that the source of the transfer sent."""
        wanted = self._digests[position]
        part = self._part(position)
        known = _blocks_of(source)
        size = self.files[position].size
        with open(source, "rb", buffering=0) as old:  # noqa: PTH123
            for at in range(0, size, BLOCK):
                digest = wanted[at // BLOCK * 32 : at // BLOCK * 32 + 32]
                if digest in known and not part.has(at, min(at + BLOCK, size)):
                    block = os.pread(old.fileno(), min(BLOCK, size - at), known[digest])
                    self.bytes += part.write(at, block)
                    self._log.append(f"{position} {at} {at + len(block)}\n")
        self._save_log()
        self._end_part(position, part)

    def is_begun(self, position: int) -> bool:
        """Whether a part of it is here."""
        part = self._parts.get(position)
        return part is not None and part.ranges.count > 0

    def has_digests(self, position: int) -> bool:
        return position in self._digests

    def wants(self, compared: Set[int]) -> Wants:
        """What to ask for now. `compared`: large files that another one here may share blocks with."""
        wants = Wants()
        for position in self.missing():
            size, part = self.files[position].size, self._parts.get(position)
            is_suspect = part is not None and part.ranges.is_whole(size) and size > 0
            is_compared = position in compared and part is None
            if size >= LARGE and (is_suspect or is_compared) and position not in self._digests:
                wants.digests.append(position)
            elif part is not None and part.ranges.count:
                wants.ranges += [(position, *gap) for gap in part.ranges.missing(size)]
            else:
                wants.want_file(position)
        return wants

    def take(self, piece: bytes) -> bool:
        """Write and verify a piece; True at the end of the round. Raises `BadRequest`, `DataChanged`."""
        is_end = False
        small: List[Tuple[int, memoryview]] = []
        for frame, view in read_piece(piece, self.files):
            if frame.kind == END:
                is_end = True
            elif frame.kind == DIGESTS:
                self._digests[frame.file] = bytes(view)
            elif self.is_done[frame.file]:
                continue
            elif self._is_whole(frame):
                small.append((frame.file, view))
            else:
                self._take(frame, view)
        self._take_whole(small)
        self._save_log()
        return is_end

    def end_round(self) -> None:
        """Between two rounds: drop the blocks of a file that turned out wrong."""
        for position in [one for one in self._tries if not self.is_done[one]]:
            if position in self._digests and position in self._parts:
                self._keep_right_blocks(position)

    def finish(self) -> None:
        """Everything is verified: links and empty folders last, then nobody writes here any more."""
        for entry in self._entries:
            if isinstance(entry, LinkEntry):
                _make_link(f"{self.root}/{entry.path}", entry.target)
        for folder in sorted(_folders(self._entries), reverse=True):
            os.chmod(f"{self.root}/{folder}", 0o555)  # noqa: PTH101

    @property
    def standing(self) -> Tuple[int, int, int]:
        """Changes with everything that arrives and counts."""
        return self.bytes, self.files_done, len(self._digests)

    @property
    def entry_count(self) -> int:
        """Files, links and folders."""
        others = sum(1 for entry in self._entries if not isinstance(entry, FolderEntry))
        return others + len(_folders(self._entries))

    def close(self) -> None:
        self._beside.shutdown()
        self._direct.close()
        for part in self._parts.values():
            part.close()

    def _is_whole(self, frame: Frame) -> bool:
        is_all = frame.kind == BYTES and frame.length == self.files[frame.file].size
        return is_all and frame.file not in self._parts

    def _take(self, frame: Frame, view: memoryview) -> None:
        part = self._part(frame.file)
        if frame.kind == BYTES:
            self.bytes += self._write_part(part, frame.offset, view)
        elif frame.kind == ZEROS:
            self.bytes += part.write_zeros(frame.offset, frame.length)
        self._log.append(f"{frame.file} {frame.offset} {frame.offset + frame.length}\n")
        self._end_part(frame.file, part)

    def _write_part(self, part: _Part, offset: int, view: memoryview) -> int:
        """Hashing is the processor's work and writing the disk's: large parts do both at once."""
        if len(view) < LEAST_DIRECT:
            return part.write(offset, view)
        hashed = self._beside.submit(part.hash_in_order, offset, view)
        try:
            return part.put(offset, view, self._direct)
        finally:
            hashed.result()

    def _take_whole(self, small: List[Tuple[int, memoryview]]) -> None:
        """Making a file is the kernel's work: two threads make many files in two thirds of the time."""
        half = len(small) // 2 if len(small) >= TOGETHER else 0
        first = self._beside.submit(self._write_whole, small[:half]) if half else None
        right = self._write_whole(small[half:])
        right |= first.result() if first is not None else set()
        for position, view in small:
            if position in right:
                self._count(position, len(view))
            else:
                self._wrong(position)

    def _write_whole(self, small: List[Tuple[int, memoryview]]) -> Set[int]:
        """Those whose bytes are right; no others are written."""
        right: Set[int] = set()
        for position, view in small:
            entry = self.files[position]
            if hashlib.sha256(view).hexdigest() == entry.sha256:
                self._write_file(position, entry, view)
                right.add(position)
        return right

    def _write_file(self, position: int, entry: FileEntry, view: memoryview) -> None:
        place, mode = self.place(position), 0o555 if entry.is_executable else 0o444
        try:
            descriptor = os.open(place, _NEW, mode)
        except FileExistsError:
            os.unlink(place)  # noqa: PTH108
            descriptor = os.open(place, _NEW, mode)
        try:
            _write_all(descriptor, view)
        finally:
            os.close(descriptor)

    def _part(self, position: int) -> _Part:
        part = self._parts.get(position)
        if part is None:
            size = self.files[position].size
            part = self._parts[position] = _Part(self.place(position), size, Ranges())
        return part

    def _end_part(self, position: int, part: _Part) -> None:
        """Once all of it is there: verify, and let nobody write to it any more."""
        entry = self.files[position]
        if not part.ranges.is_whole(entry.size):
            return
        if part.sha256() == entry.sha256:
            part.settle(0o555 if entry.is_executable else 0o444)
            del self._parts[position]
            self._count(position, 0)
            return
        self._wrong(position)
        if position in self._digests:
            self._keep_right_blocks(position)
        elif entry.size < LARGE:
            self._start_again(position)

    def _keep_right_blocks(self, position: int) -> None:
        """By the digests of the source; what differs is asked for again."""
        part, digests = self._parts[position], self._digests[position]
        size = self.files[position].size
        right = Ranges()
        for at in range(0, size, BLOCK):
            end = min(at + BLOCK, size)
            if part.has(at, end) and part.digest(at, end) == digests[at // BLOCK * 32 :][:32]:
                right.add(at, end)
        if right.is_whole(size):  # then the digests are wrong, or the manifest's is
            self._start_again(position)
            return
        self.bytes -= part.ranges.count - right.count
        part.forget()
        part.ranges = right

    def _start_again(self, position: int) -> None:
        part = self._parts[position]
        self.bytes -= part.ranges.count
        self._digests.pop(position, None)
        part.forget()

    def _wrong(self, position: int) -> None:
        self._tries[position] = self._tries.get(position, 0) + 1
        if self._tries[position] > MOST_TRIES:
            raise DataChanged(
                f"{self.files[position].path} arrived {self._tries[position]} times with other bytes than "
                "the manifest says",
                "Its source has changed, or somebody on the way changes it. Check the source.",
            )

    def _count(self, position: int, size: int) -> None:
        self.is_done[position] = 1
        self.files_done += 1
        self.bytes += size

    def _verify(self, found: List[FoundFile]) -> None:
        def take(results: List[Result]) -> None:
            for one in results:
                position = int(one.file.path) if isinstance(one, Hashed) else int(one.path)
                entry = self.files[position]
                if isinstance(one, Hashed) and one.sha256 == entry.sha256:
                    os.chmod(self.place(position), 0o555 if entry.is_executable else 0o444)  # noqa: PTH101
                    self._count(position, entry.size)
                else:
                    os.unlink(self.place(position))  # noqa: PTH108

        hash_files(found, threads=default_threads(), done=take)

    def _left_parts(self) -> Dict[int, Ranges]:
        """From the log of an earlier try; a line that was cut off is ignored."""
        left: Dict[int, Ranges] = {}
        try:
            lines = (self._folder / "parts.log").read_text().split("\n")[:-1]
        except FileNotFoundError:
            return {}
        for line in lines:
            numbers = line.split()
            if len(numbers) == 3 and all(one.isdigit() for one in numbers):
                position, start, end = map(int, numbers)
                if position < len(self.files) and start < end <= self.files[position].size:
                    left.setdefault(position, Ranges()).add(start, end)
        return left

    def _save_log(self) -> None:
        if self._log:
            with (self._folder / "parts.log").open("a") as out:
                out.write("".join(self._log))
            self._log.clear()


class _Part:
    """A file that arrives in parts. Its digest is made on the way as long as they come in order."""

    def __init__(self, place: str, size: int, ranges: Ranges) -> None:
        self.ranges = ranges
        self._place, self._size = place, size
        self._is_fresh = not ranges.count
        self._digest, self._at = hashlib.sha256(), 0
        self._descriptor: Optional[int] = None

    def write(self, offset: int, content: bytes | memoryview) -> int:
        """How many bytes are new by it."""
        self.hash_in_order(offset, content)
        return self.put(offset, content)

    def hash_in_order(self, offset: int, content: bytes | memoryview) -> None:
        if offset == self._at:
            self._digest.update(content)
            self._at += len(content)

    def put(
        self, offset: int, content: bytes | memoryview, direct: Optional[DirectWriter] = None
    ) -> int:
        """Write without hashing it: how many bytes are new by it."""
        before, descriptor = self.ranges.count, self._open()
        left = memoryview(content)
        done = direct.write(self._place, offset, left) if direct is not None else 0
        at, left = offset + done, left[done:]
        while left:
            written = os.pwrite(descriptor, left, at)
            at, left = at + written, left[written:]
        self._added(offset, len(content))
        return self.ranges.count - before

    def write_zeros(self, offset: int, length: int) -> int:
        """In a file that nothing was written to before, they are there already."""
        before, descriptor = self.ranges.count, self._open()
        for at in range(offset, offset + length, len(_ZEROS)):
            count = min(len(_ZEROS), offset + length - at)
            if not self._is_fresh:
                os.pwrite(descriptor, memoryview(_ZEROS)[:count], at)
            if at == self._at:
                self._digest.update(memoryview(_ZEROS)[:count])
                self._at += count
        self._added(offset, length)
        return self.ranges.count - before

    def has(self, start: int, end: int) -> bool:
        return not any(
            at < end and start < at + length for at, length in self.ranges.missing(self._size)
        )

    def digest(self, start: int, end: int) -> bytes:
        return hashlib.sha256(os.pread(self._open(), end - start, start)).digest()

    def sha256(self) -> str:
        if self._at == self._size:
            return self._digest.hexdigest()
        digest, descriptor, at = hashlib.sha256(), self._open(), 0
        while block := os.pread(descriptor, 1 << 20, at):
            digest.update(block)
            at += len(block)
        return digest.hexdigest()

    def settle(self, mode: int) -> None:
        descriptor = self._open()
        os.fchmod(descriptor, mode)
        os.fsync(descriptor)
        self.close()

    def forget(self) -> None:
        """What is there counts no more."""
        self.ranges, self._is_fresh = Ranges(), False
        self._digest, self._at = hashlib.sha256(), 0

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _added(self, offset: int, length: int) -> None:
        self.ranges.add(offset, offset + length)

    def _open(self) -> int:
        if self._descriptor is None:
            self._descriptor = os.open(self._place, _PART, 0o600)
            if os.fstat(self._descriptor).st_size != self._size:
                os.ftruncate(self._descriptor, self._size)
        return self._descriptor


def _folders(entries: Sequence[Entry]) -> Set[str]:
    """All folders of the tree, also those that paths imply."""
    found: Set[str] = set()
    for entry in entries:
        path = entry.path if isinstance(entry, FolderEntry) else entry.path.rpartition("/")[0]
        while path and path not in found:
            found.add(path)
            path = path.rpartition("/")[0]
    return found


def _make_link(place: str, target: str) -> None:
    try:
        os.symlink(target, place)  # noqa: PTH211
    except FileExistsError:
        if os.readlink(place) != target:  # noqa: PTH115
            raise


def _linked(source: str, target: str, mode: int) -> bool:
    """A link shares its rights with the other name: only a file that nobody writes to, and that is executable or not as wanted."""
    try:
        if os.lstat(source).st_mode != stat.S_IFREG | mode:
            return False
        os.link(source, target, follow_symlinks=False)
    except OSError:
        return False
    return True


def _copied(source: str, target: str) -> None:
    """Sharing the blocks where the file system can; else their bytes."""
    with open(source, "rb", buffering=0) as old, open(target, "wb", buffering=0) as new:  # noqa: PTH123
        try:
            fcntl.ioctl(new.fileno(), _FICLONE, old.fileno())
        except OSError:
            shutil.copyfileobj(old, new, 1 << 20)


def _blocks_of(place: str) -> Dict[bytes, int]:
    """Digests of the blocks of a file here, with where they begin."""
    blocks: Dict[bytes, int] = {}
    with open(place, "rb", buffering=0) as source:  # noqa: PTH123
        at = 0
        while block := os.pread(source.fileno(), BLOCK, at):
            blocks[hashlib.sha256(block).digest()] = at
            at += len(block)
    return blocks


def _write_all(descriptor: int, view: memoryview) -> None:
    while view:
        view = view[os.write(descriptor, view) :]
