"""A large model into the service, beside MLflow's own server with proxied artifacts, in the same run."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.claim import Claim, Findings, Options
from bench.processes import free_port
from bench.stack import Service, started_service

GIGABYTES = 5
MOST_GROWTH_MB = 100
LOG_ARTIFACTS = """\
import mlflow, sys
mlflow.set_tracking_uri(sys.argv[1])
with mlflow.start_run():
    mlflow.log_artifacts(sys.argv[2])
"""


def measure(options: Options) -> Findings:
    """`--count N`: of N gigabytes."""
    found = Findings()
    gigabytes = options.samples(GIGABYTES)
    source = make_model(options.folder / "model", gigabytes)
    with started_service(options.folder / "service") as service:
        diamond_seconds = publish(found, service, source, gigabytes)
        resume(found, service, options.folder, source)
    mlflow_python = mlflow_environment(options.cache)
    with started_mlflow(mlflow_python, options.folder / "mlflow") as (url, pid):
        with memory_of(pid) as growth:
            began = time.perf_counter()
            words = [str(mlflow_python), "-c", LOG_ARTIFACTS, url, str(source)]
            subprocess.run(words, check=True, capture_output=True)
            spent = time.perf_counter() - began
        found.add("MLflow: seconds", f"{spent:.1f} s")
        found.add("MLflow: growth of its server's memory", f"{growth():.0f} MB")
    ratio = diamond_seconds / spent
    found.add("Diamond / MLflow, time to publish", f"{ratio:.2f}")
    found.note(
        f"{gigabytes} GB in eight files. Ours hashes every file before and after it is sent, and syncs; "
        "MLflow verifies nothing. MLflow: `mlflow server --artifacts-destination`, log_artifacts."
    )
    return found


def make_model(folder: Path, gigabytes: int) -> Path:
    folder.mkdir()
    block = os.urandom(1 << 20)
    for number in range(8):
        with (folder / f"part-{number}.safetensors").open("wb") as out:
            for n in range(gigabytes * 125):
                out.write(n.to_bytes(8, "little") + number.to_bytes(8, "little") + block[16:])
    return folder


def publish(found: Findings, service: Service, source: Path, gigabytes: int) -> float:
    client = service.client()
    before = used_bytes(service.folder)
    with memory_of(service.pid) as growth:
        began = time.perf_counter()
        client.push_model("large", source)
        spent = time.perf_counter() - began
    grown = used_bytes(service.folder) - before
    copies = grown / (gigabytes * 1e9 * 1.048576)
    found.add("Diamond: seconds", f"{spent:.1f} s")
    found.add("copies at rest, the safe one included", f"{copies:.2f}", "≤ 1.05", copies <= 1.05)
    bar = f"< {MOST_GROWTH_MB} MB"
    found.add(
        "growth of the service's memory", f"{growth():.0f} MB", bar, growth() < MOST_GROWTH_MB
    )
    return spent


def resume(found: Findings, service: Service, folder: Path, source: Path) -> None:
    """Cut after a third: the second try sends the rest."""
    other = folder / "other"
    other.mkdir()
    shutil.copy(source / "part-0.safetensors", other / "weights.safetensors")
    with (other / "weights.safetensors").open("r+b") as out:
        out.write(b"another model")
    size = (other / "weights.safetensors").stat().st_size
    first = sent_until(service, other, size // 3)
    second = sent_until(service, other, None)
    total = (first + second) / size
    found.add("bytes sent with a cut after a third / size", f"{total:.2f}", "≤ 1.1", total <= 1.1)


def sent_until(service: Service, folder: Path, most: int | None) -> int:
    from diamond.sdk import data_upload

    real, sent = data_upload._post, [0]

    def post(transport: Any, base: str, number: int, n: int, body: bytes) -> int:
        if most is not None and sent[0] > most:
            raise ConnectionError("cut")
        after = real(transport, base, number, n, body)
        sent[0] += len(body)
        return after

    data_upload._post = post
    try:
        with contextlib.suppress(ConnectionError):
            service.client().push_model("cut", folder)
    finally:
        data_upload._post = real
    return sent[0]


def mlflow_environment(cache: Path) -> Path:
    folder = cache / f"mlflow-py{sys.version_info[0]}{sys.version_info[1]}"
    python, done = folder / "bin" / "python", folder / "complete"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "mlflow"], check=True)
        done.touch()
    return python


@contextlib.contextmanager
def started_mlflow(python: Path, folder: Path) -> Iterator[tuple[str, int]]:
    folder.mkdir()
    port = free_port()
    words = [str(python), "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port)]
    words += ["--workers", "1", "--backend-store-uri", f"sqlite:///{folder}/m.db"]
    words += ["--artifacts-destination", str(folder / "artifacts")]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 120
        while not _answers(url):
            if time.monotonic() > deadline:
                raise SystemExit("bench: MLflow's server did not start")
            time.sleep(0.5)
        yield url, process.pid
    finally:
        os.killpg(process.pid, 15)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()


def _answers(url: str) -> bool:
    import urllib.request

    with contextlib.suppress(OSError):
        return bool(urllib.request.urlopen(f"{url}/health", timeout=2).status == 200)
    return False


@contextlib.contextmanager
def memory_of(pid: int) -> Iterator[Callable[[], float]]:
    """By how many megabytes a process and its children grow at most."""
    start, most, done = resident(pid), [0.0], threading.Event()
    most[0] = start

    def watch() -> None:
        while not done.wait(0.05):
            most[0] = max(most[0], resident(pid))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lambda: most[0] - start
    finally:
        done.set()
        thread.join()


def resident(pid: int) -> float:
    total = 0.0
    for one in [pid, *children(pid)]:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{one}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    total += int(line.split()[1]) / 1024
    return total


def children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += [int(child), *children(int(child))]
    return found


def used_bytes(folder: Path) -> int:
    return sum(
        file.stat().st_blocks * 512
        for file in folder.rglob("*")
        if file.is_file() and not file.is_symlink()
    )


CLAIM = Claim("model-publish", "Publish a large model, beside MLflow", measure)
