"""Rows of a `.wandb` file that wandb 0.31 wrote offline: see record_events.py."""

from __future__ import annotations

from pathlib import Path

from diamond.training.wandb_reader import BLOCK, read_wandb

RECORDED = Path(__file__).parent / "events" / "run-offline.wandb"


def test_each_row_is_a_line_with_its_step_and_time() -> None:
    lines, offset = read_wandb(RECORDED, 0)
    assert offset == RECORDED.stat().st_size
    assert [line["step"] for line in lines] == [*range(6), *range(7, 61)]
    assert lines[1]["loss"] == 0.5 and lines[30]["val.acc"] == 30 / 60
    assert all(line["time"] > 1.7e9 for line in lines)


def test_texts_pictures_and_histograms_are_no_curves() -> None:
    names = {name for line in read_wandb(RECORDED, 0)[0] for name in line}
    assert names == {"step", "time", "nonfinite", "loss", "val.acc", "odd"}


def test_what_is_not_finite_is_said_so() -> None:
    lines = read_wandb(RECORDED, 0)[0]
    assert [line["step"] for line in lines if line.get("nonfinite") == ["odd"]] == [3, 4]
    assert lines[3]["odd"] is None


def test_a_growing_file_gives_each_row_once(tmp_path: Path) -> None:
    whole, content = read_wandb(RECORDED, 0)[0], RECORDED.read_bytes()
    growing, lines, offset = tmp_path / "run-1.wandb", [], 0
    for size in [*range(0, len(content), 611), len(content)]:
        growing.write_bytes(content[:size])
        more, offset = read_wandb(growing, offset)
        lines += more
    assert lines == whole


def test_a_damaged_block_costs_its_own_rows_alone(tmp_path: Path) -> None:
    content = bytearray(RECORDED.read_bytes())
    content[BLOCK // 2] ^= 0xFF
    damaged = tmp_path / "run-1.wandb"
    damaged.write_bytes(content)
    steps = [line["step"] for line in read_wandb(damaged, 0)[0]]
    assert 0 < len(steps) < 60 and steps[0] == 0 and steps[-1] == 60


def test_other_files_of_that_name_give_nothing(tmp_path: Path) -> None:
    for content in (b"", b":W&", b"something else" * 9999, b":W&B\xe1\xbe\0" + b"\0" * 99999):
        file = tmp_path / "run-1.wandb"
        file.write_bytes(content)
        assert read_wandb(file, 0)[0] == []
