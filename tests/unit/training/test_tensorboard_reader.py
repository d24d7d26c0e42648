"""Event files recorded by `record_events.py` with torch 2.13, tensorboardX and tensorboard's own protobuf."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from diamond.training.tensorboard_event import BadRecord, event_line
from diamond.training.tensorboard_reader import read_scalars

EVENTS = Path(__file__).parent / "events"


def test_scalars_of_torch_in_both_of_its_styles() -> None:
    lines, offset = read_scalars(EVENTS / "torch.tfevents", 0)
    assert [line["step"] for line in lines] == [0, 1, 2, 3, 4, 5]
    assert lines[0] == {"step": 0, "time": 1700000000.5, "loss": 1.0}
    assert lines[3]["new/accuracy"] == 0.75
    assert lines[4]["double"] == 0.1
    assert (lines[5]["loss"], lines[5]["nonfinite"]) == (None, ["loss"])
    assert offset == (EVENTS / "torch.tfevents").stat().st_size


def test_scalars_of_tensorboardx() -> None:
    lines, _ = read_scalars(EVENTS / "tensorboardx.tfevents", 0)
    assert [line["train/loss"] for line in lines] == [0.0, 0.5]


def test_scalars_in_tensors_as_tensorflow_writes_them() -> None:
    lines, _ = read_scalars(EVENTS / "tensors.tfevents", 0)
    assert [(line["step"], line["epoch_loss"]) for line in lines] == [(1, 0.25), (-2, 0.1)]


def test_a_file_that_grows_is_read_piece_by_piece_without_loss_or_doubling(tmp_path: Path) -> None:
    whole = (EVENTS / "torch.tfevents").read_bytes()
    growing, lines, offset = tmp_path / "events", [], 0
    for end in range(0, len(whole) + 1, 37):
        growing.write_bytes(whole[:end])
        more, offset = read_scalars(growing, offset)
        lines += more
    growing.write_bytes(whole)
    more, _ = read_scalars(growing, offset)
    assert lines + more == read_scalars(EVENTS / "torch.tfevents", 0)[0]


def test_a_damaged_length_stops_the_reader_where_it_stands(tmp_path: Path) -> None:
    whole = (EVENTS / "tensorboardx.tfevents").read_bytes()
    damaged = tmp_path / "events"
    damaged.write_bytes(whole + b"\xff" * 40)
    lines, offset = read_scalars(damaged, 0)
    assert len(lines) == 2
    assert offset == len(whole)


def test_a_wrong_checksum_of_a_body_is_passed_over(tmp_path: Path) -> None:
    whole = bytearray((EVENTS / "tensorboardx.tfevents").read_bytes())
    whole[-1] ^= 0xFF
    damaged = tmp_path / "events"
    damaged.write_bytes(whole)
    assert len(read_scalars(damaged, 0)[0]) == 2


@given(st.binary(max_size=200))
def test_any_bytes_are_an_event_or_a_bad_record(content: bytes) -> None:
    with suppress(BadRecord):
        event_line(content)
