"""A program with much output: a long log with colours and HTML, a progress bar, curves, files of many kinds.

`verbose_program.py LINES FOLDER`; it prints more once FOLDER/more exists, and ends once FOLDER/release does.
"""

import json
import os
import struct
import sys
import time
import zlib
from pathlib import Path

STEPS = 200
NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [
        {
            "cell_type": "markdown",
            "metadata": {},
            "source": "# Analysis\n\n<script>document.title='ran'</script>",
        },
        {
            "cell_type": "code",
            "metadata": {},
            "execution_count": 1,
            "source": "show()",
            "outputs": [
                {
                    "output_type": "display_data",
                    "metadata": {},
                    "data": {"text/html": "<b>bold</b>"},
                }
            ],
        },
    ],
}


def main(lines: int, folder: Path) -> None:
    write_files()
    write_metrics()
    for percent in range(101):
        print(f"\r{percent}% done", end="", file=sys.stderr, flush=True)
    for n in range(lines):
        print(f"line {n} of many")
    sys.stdout.flush()
    wait_for(folder / "more")
    print("<b>and more</b>\n\x1b[32min green\x1b[0m", flush=True)
    wait_for(folder / "release")


def write_metrics() -> None:
    with Path(os.environ["DIAMOND_METRICS"]).open("a") as out:
        for step in range(STEPS):
            line: dict[str, object] = {"step": step, "time": 1000.0 + step, "loss": 1 / (1 + step)}
            if step == STEPS // 2:
                line.update(loss=None, nonfinite=["loss"])
            out.write(json.dumps(line) + "\n")


def write_files() -> None:
    Path("plots").mkdir(exist_ok=True)
    Path("plots/dot.png").write_bytes(png())
    Path("results.csv").write_text('epoch,note\n1,"a, ""b"""\n')
    Path("analysis.ipynb").write_text(json.dumps(NOTEBOOK))


def png() -> bytes:
    """One red dot."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n"
        + head
        + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0"))
        + chunk(b"IEND", b"")
    )


def wait_for(path: Path) -> None:
    while not path.exists():
        time.sleep(0.2)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
