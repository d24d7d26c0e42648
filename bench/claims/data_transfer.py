"""Data between two endpoints through the service, compared with rsync, cp, tar and dvc on the same machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.claim import Claim, Findings, Options
from bench.loopback import loopback_ssh
from bench.numbers import median, seconds
from bench.peers import dvc_program

sys.path.append(str(Path(__file__).parents[2] / "tests"))
FULL_ROUNDS = 3
MEGABYTES, SMALL_FILES, PASSED_GIGABYTES = 1000, 100_000, 10
MOST_AT_REST = 100
LEAST_OF_RSYNC, LEAST_OF_CP, MOST_OF_TAR, MOST_MOVED, MOST_GROWTH = 1.0, 0.5, 1.5, 0.03, 100


NOTE = (
    "ours: from the goal's first request to the last verified byte; every file is hashed at the goal, "
    "large ones are written through (fsync). rsync and tar verify nothing and do not sync. The service has its folder "
    "in memory, as on another machine: on the endpoints' own disk each of its fsyncs would wait for all they write"
)


def measure_large(options: Options) -> Findings:
    found = Findings()
    with _pair(options) as pair:
        _large(found, pair, options.samples(FULL_ROUNDS))
        _second_version(found, pair)
    found.note(NOTE)
    return found


def measure_small(options: Options) -> Findings:
    found = Findings()
    with _pair(options) as pair:
        small = _small(found, pair, options.samples(FULL_ROUNDS))
        _dvc(found, pair, options.cache, small)
    found.note(NOTE)
    return found


def measure_memory(options: Options) -> Findings:
    found = Findings()
    with _pair(options) as pair:
        _memory(found, pair)
    return found


@contextmanager
def _pair(options: Options) -> Iterator[_Pair]:
    from support.service import running_service
    from support.tree_scene import TreeScene, data_machine

    folder = options.folder
    with (
        TemporaryDirectory(dir=_apart()) as home,
        running_service(Path(home)) as service,
        data_machine(service, "alpha", folder / "alpha") as alpha,
        data_machine(service, "beta", folder / "beta") as beta,
        loopback_ssh(folder) as ssh,
    ):
        pair = _Pair(TreeScene(service), alpha, beta, folder, ssh)
        pair.home, pair.service = service.home, service.process.pid
        yield pair


def _apart() -> str | None:
    """A service is on another machine: its database's fsyncs would make the endpoints' disk commit again and again."""
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() else None


class _Pair:
    home: Path
    service: int

    def __init__(self, scene: Any, alpha: Any, beta: Any, folder: Path, ssh: str) -> None:
        self.scene, self.alpha, self.beta = scene, alpha, beta
        self.folder, self.ssh = folder, ssh

    def register(self, root: Path) -> str:
        return str(self.scene.registered(self.alpha, root))

    def send(self, tree: str) -> Any:
        """The transfer as it ended."""
        done = self.scene.copied(self.scene.copy(tree, self.beta), patience=600)
        assert done.state == "done", done.message
        return done

    def timed_send(self, tree: str) -> float:
        done = self.send(tree)
        return float(done.updated - done.started)

    def drop(self, tree: str) -> None:
        """So that nothing of it is found nearby in the next round."""
        self.beta.stop()
        subprocess.run(["chmod", "-R", "u+w", str(self.beta.managed(tree))], check=True)
        shutil.rmtree(self.beta.managed(tree))
        for file in (self.beta.keep / "data").glob(f"{tree}.*"):
            file.unlink()
        self.beta.start()
        self.scene.run(_forget_places(tree, self.beta.endpoint))

    def rsync(self, source: Path) -> float:
        target = self.folder / "rsynced"
        words = ["rsync", "-a", "-e", self.ssh, f"{source}/", f"root@127.0.0.1:{target}/"]
        spent = _timed(lambda: subprocess.run(words, check=True))
        shutil.rmtree(target)
        return spent


def _forget_places(tree: str, endpoint: str) -> Callable[[Any], Any]:
    from diamond.service.trees import store

    async def forget(tx: Any) -> None:
        for place in await store.places_on(tx.connection, endpoint):
            if place.digest == tree:
                await store.drop_tree_place(tx, place)

    return forget


def _large(found: Findings, pair: _Pair, rounds: int) -> None:
    root = pair.folder / "large"
    root.mkdir()
    ours, rsync, copied = [], [], []
    for number in range(rounds + 1):
        (root / "data.bin").write_bytes(os.urandom(MEGABYTES * 1_000_000))
        tree = pair.register(root)
        os.sync()
        rsync.append(pair.rsync(root))
        os.sync()
        copied.append(_timed(lambda: _cp(root / "data.bin", pair.folder / "cp.bin")))
        os.sync()
        ours.append(pair.timed_send(tree))
        pair.drop(tree)
        words = "round %d: rsync %.2f s, cp %.2f s, through the service %.2f s"
        print(words % (number, rsync[-1], copied[-1], ours[-1]), file=sys.stderr, flush=True)
    found.add(f"{MEGABYTES} MB by rsync over ssh on loopback", seconds(rsync[1:]))
    found.add("by cp with fsync", seconds(copied[1:]))
    found.add("through the service, verified", seconds(ours[1:]))
    _speed(found, "speed relative to rsync", rsync[1:], ours[1:], LEAST_OF_RSYNC)
    _speed(found, "speed relative to cp with fsync", copied[1:], ours[1:], LEAST_OF_CP)


def _small(found: Findings, pair: _Pair, rounds: int) -> list[float]:
    root = pair.folder / "small"
    ours, rsync, tar = [], [], []
    most = 0.0
    for number in range(rounds + 1):
        _many(root, number)
        tree = pair.register(root)
        os.sync()
        tar.append(_timed(lambda: _tar(root, pair.folder / "untarred")))
        shutil.rmtree(pair.folder / "untarred")
        os.sync()
        rsync.append(pair.rsync(root))
        os.sync()
        with _Most(lambda: _count_files(pair.home)) as at_rest:
            ours.append(pair.timed_send(tree))
        most = max(most, at_rest.most - at_rest.first)
        pair.drop(tree)
        words = "round %d: tar %.2f s, rsync %.2f s, through the service %.2f s"
        print(words % (number, tar[-1], rsync[-1], ours[-1]), file=sys.stderr, flush=True)
    found.add(f"{SMALL_FILES} files of 1 kB by tar through a pipe", seconds(tar[1:]))
    found.add("by rsync over ssh on loopback", seconds(rsync[1:]))
    found.add("through the service, verified", seconds(ours[1:]))
    ratio = median([one / other for one, other in zip(ours[1:], tar[1:], strict=True)])
    found.add("time relative to tar", f"{ratio:.2f}", f"<= {MOST_OF_TAR}", ratio <= MOST_OF_TAR)
    _speed(found, "speed relative to rsync", rsync[1:], ours[1:], 1.0)
    what = "files at rest in the service on the way, at most"
    found.add(what, f"{most:.0f}", f"<= {MOST_AT_REST}", most <= MOST_AT_REST)
    return ours[1:]


def _dvc(found: Findings, pair: _Pair, cache: Path, ours: list[float]) -> None:
    """`dvc push` of the same files into a folder, once: what `dvc add` costs before is not counted."""
    dvc, work = dvc_program(cache), pair.folder / "dvc"
    work.mkdir()
    remote = pair.folder / "dvc-remote"

    def run(*words: str) -> None:
        subprocess.run([str(dvc), *words], cwd=work, check=True, stdout=subprocess.DEVNULL)

    run("init", "--no-scm", "--quiet")
    run("remote", "add", "--quiet", "--default", "folder", str(remote))
    shutil.copytree(pair.folder / "small", work / "small")
    run("add", "--quiet", "small")
    os.sync()
    spent = _timed(lambda: run("push", "--quiet"))
    found.add("by dvc push into a folder, once", f"{spent:.1f} s")
    ratio = spent / median(ours)
    found.add("speed relative to dvc push", f"{ratio:.2f}", ">= 1.0", ratio >= 1.0)


def _second_version(found: Findings, pair: _Pair) -> None:
    root = pair.folder / "versions"
    root.mkdir()
    file = root / "table.bin"
    file.write_bytes(os.urandom(MEGABYTES * 1_000_000))
    first = pair.register(root)
    pair.send(first)
    with file.open("r+b") as out:
        out.seek(MEGABYTES * 500_000)
        out.write(os.urandom(MEGABYTES * 5_000))
        out.seek(0, os.SEEK_END)
        out.write(os.urandom(MEGABYTES * 5_000))
    done = pair.send(pair.register(root))
    share = done.moved / done.size
    measured = (
        f"{100 * share:.2f} % of {done.size / 1e6:.0f} MB in {done.updated - done.started:.1f} s"
    )
    what = "second version, half a percent changed in place and half appended: moved"
    found.add(what, measured, f"<= {100 * MOST_MOVED:.0f} %", share <= MOST_MOVED)


def _memory(found: Findings, pair: _Pair) -> None:
    """Real bytes pass: the same gigabyte under other names is not found nearby, since each file differs."""
    root = pair.folder / "passing"
    root.mkdir()
    block = os.urandom(1_000_000)
    for number in range(PASSED_GIGABYTES):
        with (root / f"{number}.bin").open("wb") as out:
            for part in range(1000):
                out.write(b"%016d" % (number * 1000 + part) + block[16:])
    tree = pair.register(root)
    agents = {"sends": pair.alpha.process.pid, "receives": pair.beta.process.pid}
    spent = {name: _cpu_seconds(pid) for name, pid in agents.items()}
    with (
        _Most(lambda: _rss(pair.service)) as watching,
        _Most(lambda: _rss(agents["sends"])) as sends,
        _Most(lambda: _rss(agents["receives"])) as receives,
    ):
        done = pair.send(tree)
    for name, most in (("sends", sends), ("receives", receives)):
        cost = (_cpu_seconds(agents[name]) - spent[name]) / PASSED_GIGABYTES
        found.add(f"the agent that {name}", f"{cost:.2f} CPU s per GB, {most.most:.0f} MB at most")
    before = watching.first
    growth = watching.most - before
    measured = (
        f"+{growth:.0f} MB at most (from {before:.0f} MB), in {done.updated - done.started:.0f} s"
    )
    what = f"service memory while {PASSED_GIGABYTES} GB pass"
    found.add(what, measured, f"< {MOST_GROWTH} MB", growth < MOST_GROWTH)


class _Most:
    """The largest value of something while it is watched."""

    def __init__(self, look: Callable[[], float]) -> None:
        self._value, self._ended = look, threading.Event()
        self.first = self.most = look()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> _Most:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(0.05):
            self.most = max(self.most, self._value())


def _count_files(folder: Path) -> float:
    return float(sum(len(names) for _, _, names in os.walk(folder)))


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _rss(pid: int) -> float:
    """Megabytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _many(root: Path, number: int) -> None:
    shutil.rmtree(root, ignore_errors=True)
    for count in range(SMALL_FILES):
        place = root / f"{count // 1000:03}"
        if count % 1000 == 0:
            place.mkdir(parents=True)
        (place / f"{count:06}").write_bytes(b"%010d" % (number * SMALL_FILES + count) * 100)


def _cp(source: Path, target: Path) -> None:
    subprocess.run(["cp", str(source), str(target)], check=True)
    subprocess.run(["sync", str(target)], check=True)
    target.unlink()


def _tar(source: Path, target: Path) -> None:
    target.mkdir()
    script = 'tar -C "$0" -cf - . | tar -C "$1" -xf -'
    subprocess.run(["bash", "-c", script, str(source), str(target)], check=True)


def _speed(
    found: Findings, what: str, theirs: list[float], ours: list[float], least: float
) -> None:
    ratio = median([one / other for one, other in zip(theirs, ours, strict=True)])
    found.add(f"{what}, pair by pair", f"{ratio:.2f}", f">= {least}", ratio >= least)


def _timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


LARGE = Claim("data-transfer", "Data between two endpoints through the service", measure_large)
SMALL = Claim("data-small-files", "100,000 small files through the service", measure_small)
MEMORY = Claim("data-memory", "The service's memory while data passes through it", measure_memory)
