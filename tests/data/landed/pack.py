"""`python pack.py CHECKOUT`: the service and the agent of an earlier version as one small archive beside this file.

Docstrings and comments are left out. The commands and the pages are left out too: the tests call the API.
"""

from __future__ import annotations

import ast
import io
import lzma
import sys
import tarfile
from pathlib import Path

ARCHIVE = Path(__file__).parent / "diamond.tar.xz"
LEFT_OUT = {"cli", "sdk", "testing", "static", "__pycache__"}


def main() -> None:
    root, packed = Path(sys.argv[1]) / "src" / "diamond", io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path in sorted(root.rglob("*")):
            inside = path.relative_to(root)
            if path.is_file() and not LEFT_OUT & set(inside.parts):
                add(archive, str(Path("diamond") / inside), bare(path))
    ARCHIVE.write_bytes(lzma.compress(packed.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def bare(path: Path) -> bytes:
    if path.suffix != ".py":
        return path.read_bytes()
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)):
            node.body = [line for line in node.body if not is_text(line)] or [ast.Pass()]
    return ast.unparse(tree).encode()


def is_text(line: ast.stmt) -> bool:
    return (
        isinstance(line, ast.Expr)
        and isinstance(line.value, ast.Constant)
        and isinstance(line.value.value, str)
    )


if __name__ == "__main__":
    main()
