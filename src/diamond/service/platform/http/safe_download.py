"""How bytes of unknown content leave: never as something that a browser would run."""

from __future__ import annotations

import mimetypes
import re
from typing import Literal
from urllib.parse import quote

from starlette.responses import PlainTextResponse

PLAIN = "text/plain; charset=utf-8"
BINARY = "application/octet-stream"
SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
}
PICTURES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
TABLES = frozenset({".csv", ".tsv"})
TEXTS = frozenset(
    {
        "",
        ".txt",
        ".log",
        ".out",
        ".err",
        ".md",
        ".rst",
        ".py",
        ".sh",
        ".bash",
        ".r",
        ".jl",
        ".c",
        ".h",
        ".cc",
        ".cpp",
        ".cu",
        ".f90",
        ".js",
        ".ts",
        ".json",
        ".jsonl",
        ".yaml",
        ".yml",
        ".toml",
        ".ini",
        ".cfg",
        ".conf",
        ".xml",
        ".html",
        ".css",
        ".svg",
        ".sql",
        ".tex",
        ".bib",
        ".diff",
        ".patch",
        ".lock",
        ".slurm",
        ".sbatch",
        ".env",
    }
)
"""Shown as plain text, whatever a browser would make of them; a name without an ending counts too."""
Preview = Literal["text", "image", "table", "notebook", "none"]


def preview_of(path: str) -> Preview:
    """How a page may show a file, by its name alone."""
    ending = _ending(path)
    if ending in PICTURES:
        return "image"
    if ending in TABLES:
        return "table"
    if ending == ".ipynb":
        return "notebook"
    return "text" if ending in TEXTS else "none"


def media_type(path: str, *, inline: bool) -> str:
    """What the bytes are sent as: only pictures and plain text are ever shown by a browser itself."""
    if not inline:
        return BINARY
    kind = preview_of(path)
    if kind == "image":
        return PICTURES[_ending(path)]
    return BINARY if kind == "none" else PLAIN


def guessed_type(path: str) -> str:
    """For people: what kind of file this seems to be."""
    if preview_of(path) == "notebook":
        return "application/x-ipynb+json"
    return mimetypes.guess_type(path)[0] or ("text/plain" if preview_of(path) == "text" else BINARY)


def disposition(path: str, *, inline: bool) -> dict[str, str]:
    if inline and media_type(path, inline=True) != BINARY:
        return {"Content-Disposition": "inline"}
    return attachment(path.rsplit("/", 1)[-1])


def attachment(name: str) -> dict[str, str]:
    """RFC 6266: a plain name for old clients, the whole one for the others."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name) or "file"
    return {
        "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    }


def file_name(*parts: str) -> str:
    return "-".join(re.sub(r"[^A-Za-z0-9._-]+", "-", part).strip("-") for part in parts if part)


def plain_text(text: str | bytes) -> PlainTextResponse:
    return PlainTextResponse(text, headers=SAFE)


def _ending(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    stem, dot, ending = name.rpartition(".")
    return f".{ending.lower()}" if dot and stem else ""
