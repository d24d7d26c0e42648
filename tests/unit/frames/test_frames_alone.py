"""What one process can see: how ranks are found, files divided, engines missed, strangers recognised."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from diamond import frames
from diamond.frames.handshake import Stranger, greet, receive
from diamond.frames.ranks import Ranks, meeting_file, own_ranks
from diamond.frames.reading import Part, _divide
from diamond.frames.rendezvous import _read_meeting
from diamond.training.install import install_training


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_RANK"):
        monkeypatch.delenv(name, raising=False)
    yield
    frames.finish()


@pytest.mark.parametrize(
    ("given", "ranks"),
    [
        ({}, Ranks(0, 1, 1)),
        ({"RANK": "3", "WORLD_SIZE": "8", "LOCAL_WORLD_SIZE": "4"}, Ranks(3, 8, 4)),
        ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}, Ranks(1, 2, 1)),
        ({"SLURM_PROCID": "1", "SLURM_NTASKS": "2"}, Ranks(0, 1, 1)),
    ],
)
def test_a_process_knows_its_rank_from_its_launcher(given: dict[str, str], ranks: Ranks) -> None:
    assert own_ranks(given) == ranks


def test_a_rank_beyond_the_last_is_an_error() -> None:
    with pytest.raises(frames.FramesError, match="rank 2 is not below"):
        own_ranks({"RANK": "2", "WORLD_SIZE": "2"})


def test_runs_and_their_restarts_meet_in_files_of_their_own() -> None:
    given = {"DIAMOND_METRICS": "/runs/1/metrics.jsonl", "TORCHELASTIC_RESTART_COUNT": "0"}
    again = {**given, "TORCHELASTIC_RESTART_COUNT": "1"}
    assert meeting_file(given).parent == Path("/runs/1")
    assert meeting_file(given) != meeting_file(again)


def test_row_groups_are_divided_by_rows_and_whole_files_stay_whole() -> None:
    groups = [Part("a", 10, 0, 10), Part("b", 50, 0, 50), Part("b", 50, 50, 100)]
    assert _divide(groups, 2) == [[Part("a", 10), Part("b", 50, 0, 50)], [Part("b", 50, 50, 100)]]
    assert _divide(groups, 1) == [[Part("a", 10), Part("b", 100)]]
    assert _divide(groups[:1], 3) == [[], [Part("a", 10)], []]


@pytest.mark.parametrize("missing", ["duckdb", "pyarrow", "numpy"])
def test_a_missing_package_is_named(missing: str, tmp_path: Path) -> None:
    """As a job has it: only what travels is importable, and importing it costs nothing."""
    place = install_training(tmp_path, also=[frames])
    text = (
        f"import sys\nsys.modules[{missing!r}] = None\nfrom diamond import frames\n"
        "assert 'duckdb' not in {n for n, m in sys.modules.items() if m}\n"
        "try:\n    frames.start()\nexcept frames.MissingPackage as error:\n    print(error)"
    )
    environ = {**os.environ, "PYTHONPATH": place}
    done = subprocess.run(
        [sys.executable, "-c", text], env=environ, capture_output=True, text=True, check=True
    )
    assert f"requirements: [{missing}]" in done.stdout


@pytest.mark.parametrize(
    ("client", "server", "expected"),
    [(b"k", b"k", "met"), (b"other", b"k", "stranger"), (b"k", b"other", "stranger")],
)
def test_only_those_who_know_the_key_meet(client: bytes, server: bytes, expected: str) -> None:
    ours, theirs = socket.socketpair()
    answers: list[object] = []

    def answer() -> None:
        try:
            answers.append(receive(theirs, server, own=0))
        except (Stranger, OSError):
            answers.append("stranger")
        finally:
            theirs.close()

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        greet(ours, client, own=5, peer=0)
        seen = "met"
    except (Stranger, OSError):
        seen = "stranger"
    ours.close()
    thread.join()
    assert seen == expected
    assert answers == ([5] if expected == "met" else ["stranger"])


def test_a_key_that_others_could_have_written_or_read_is_not_used(tmp_path: Path) -> None:
    file = tmp_path / "meeting.json"
    file.write_text('{"addresses": ["127.0.0.1"], "port": 1, "key": "00"}')
    file.chmod(0o600)
    assert _read_meeting(file)
    file.chmod(0o640)
    assert _read_meeting(file) is None
    link = tmp_path / "link.json"
    file.chmod(0o600)
    link.symlink_to(file)
    assert _read_meeting(link) is None


WRONG = {
    "no column 'speed': there are a, b": lambda f: f.select("speed"),
    "it must be one of inner": lambda f: f.join(f, "a", how="outer"),
    "both frames have the column 'b'": lambda f: f.join(f, "a"),
    "convert one": lambda f: f.join(f.select(a="a::VARCHAR"), "a"),
    "needs at least one column": lambda f: f.group([], n="count(*)"),
    "totals can count": lambda f: f.totals(m="median(a)"),
    "batch_size=0": lambda f: f.loader(0),
    "format='jax'": lambda f: f.loader(2, format="jax"),
    "no rows are left": lambda f: f.filter("a > 100").loader(2),
    "is VARCHAR, and a tensor holds only numbers": lambda f: f.select(w="a::VARCHAR").loader(2),
    "lists in the column 'w' have different lengths": lambda f: f.select(w="range(a)").loader(2),
    "same `key`": lambda f: f.loader(2, key=["b"]),
    "Referenced column|not found|Binder": lambda f: f.filter("speed > 3"),
}


@pytest.mark.parametrize("message", sorted(WRONG))
def test_errors_say_what_to_do(message: str) -> None:
    frame = frames.table(pa.table({"a": [1, 2, 3, 4], "b": [1, 1, 2, 2]}))
    with pytest.raises(frames.FramesError, match=message):
        WRONG[message](frame)


def test_lists_become_rows_of_a_matrix_and_steps_can_be_left(tmp_path: Path) -> None:
    frame = frames.table(pa.table({"a": list(range(10)), "s": ["x"] * 10}))
    windows = frame.window("s", "a", w="list(a)", rows="BETWEEN 2 PRECEDING AND CURRENT ROW")
    ready = windows.filter("len(w) = 3").sort("a").select("a", w="w::DOUBLE[]")
    loader = ready.loader(3, shuffle=False, format="torch")
    batches = list(loader)
    assert [batch["a"].tolist() for batch in batches] == [[2, 3, 4], [5, 6, 7], [8, 9]]
    assert batches[0]["w"].tolist() == [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    assert len(loader) == 3
    assert loader.epoch == 1


def test_a_state_for_other_rows_is_refused() -> None:
    state = frames.table(pa.table({"a": [1, 2, 3]})).loader(1).state_dict()
    with pytest.raises(frames.FramesError, match="they have other values"):
        frames.table(pa.table({"a": [1, 2, 4]})).loader(1).load_state_dict(state)


def test_a_result_is_written_only_into_an_empty_folder(tmp_path: Path) -> None:
    frame = frames.table(pa.table({"a": [1]}))
    frame.write(tmp_path / "out")
    assert parquet.read_table(tmp_path / "out").to_pydict() == {"a": [1]}
    with pytest.raises(frames.FramesError, match="is not empty"):
        frame.write(tmp_path / "out")
