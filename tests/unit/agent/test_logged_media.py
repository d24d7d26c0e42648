"""Pictures and tables of other loggers are known by the names of their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond.agent.output import media
from diamond.agent.output.media import list_media, media_item

RUN = "wandb/offline-run-20260101_120000-abc123/files/media"
LOGGED = {
    f"{RUN}/images/val/sample_30_0a1b2c3d4e5f60718293.png": ("wandb", "image", "val/sample", 30),
    f"out/{RUN}/images/a_b_2_0a1b2c3d4e5f60718293.jpg": ("wandb", "image", "a_b", 2),
    f"{RUN}/table/scores_7_0a1b2c3d4e5f60718293.table.json": ("wandb", "table", "scores", 7),
    "mlruns/0/f00/artifacts/plot.png": ("mlflow", "image", "plot", None),
    "mlruns/0/f00/artifacts/images/x%step%12%timestamp%17%aa-bb.png": ("mlflow", "image", "x", 12),
    "mlruns/0/f00/artifacts/images/x+step+3+timestamp+17+aa-bb.png": ("mlflow", "image", "x", 3),
}


@pytest.mark.parametrize("path", LOGGED)
def test_a_path_says_what_was_logged(path: str) -> None:
    item = media_item(path)
    assert item is not None
    assert (item["source"], item["kind"], item["name"], item["step"]) == LOGGED[path]


@pytest.mark.parametrize(
    "path",
    [
        "plot.png",
        "wandb/notes.png",
        f"{RUN}/images/noname.png",
        f"{RUN}/html/x_1_0a1b.html",
        "mlruns/0/f00/artifacts/model.pkl",
        "mlruns/0/f00/artifacts/images/x%step%12%timestamp%17%aa-bb%compressed.webp",
    ],
)
def test_other_files_are_none(path: str) -> None:
    assert media_item(path) is None


def test_files_are_found_without_following_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in LOGGED:
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(b"x")
    outside = tmp_path.parent / "outside.png"
    outside.write_bytes(b"secret")
    (tmp_path / "mlruns/0/f00/artifacts/link.png").symlink_to(outside)
    (tmp_path / "mlruns/0/f00/artifacts/a\nb.png").write_bytes(b"x")
    (tmp_path / "mlruns" / "loop").symlink_to(tmp_path)
    assert {item["path"] for item in list_media(tmp_path)} == set(LOGGED)
    monkeypatch.setattr(media, "MOST_ITEMS", 2)
    assert len(list_media(tmp_path)) == 2
    monkeypatch.setattr(media, "MOST_ENTRIES", 1)
    assert list_media(tmp_path) == []
