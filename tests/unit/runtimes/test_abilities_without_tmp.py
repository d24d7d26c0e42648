from __future__ import annotations

from pathlib import Path

from diamond.runtimes.abilities import abilities


def test_a_node_without_the_tmp_folder_is_probed_all_the_same(tmp_path: Path) -> None:
    found = abilities(tmp_path, tmp_path / "only-on-compute-nodes")
    assert found["tmp_free_bytes"] == 0
    assert found["overlay"]["tmp"] is False
