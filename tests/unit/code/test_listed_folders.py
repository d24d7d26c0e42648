"""Before a browser sends a folder: the same files are chosen by their names as on disk."""

from __future__ import annotations

from pathlib import Path

from diamond.code.folder_listing import choose_listed
from diamond.code.ignoring import walk_kept

RULES = {
    ".gitignore": "*.log\n/data/\n!keep.log\n",
    "lib/.diamondignore": "big.bin\n!node_modules/\n",
}
PATHS = [
    ".git/HEAD",
    ".git/objects/ab/cdef",
    ".venv/bin/python",
    "mine/pyvenv.cfg",
    "mine/bin/x",
    "train.py",
    "run.log",
    "keep.log",
    "data/huge.npy",
    "lib/data/small.txt",
    "lib/big.bin",
    "lib/node_modules/a.js",
    "node_modules/b.js",
    "__pycache__/x.pyc",
    *RULES,
]


def test_names_alone_choose_what_the_disk_would(tmp_path: Path) -> None:
    for path in PATHS:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(RULES.get(path, ""))
    on_disk = walk_kept(tmp_path)
    chosen = choose_listed(PATHS, RULES)
    assert sorted(chosen.take) == sorted(on_disk.kept)
    assert chosen.made_by_tools == on_disk.made_by_tools
    assert "lib/node_modules/a.js" in chosen.take


def test_a_key_is_named_and_need_not_leave_the_computer() -> None:
    chosen = choose_listed(["train.py", ".env", "deep/id_rsa"], {})
    assert chosen.take == ["train.py"]
    assert [path for path, _ in chosen.left_out] == [".env", "deep/id_rsa"]
