"""Images as small PNG pictures, and text as it begins."""

from __future__ import annotations

import base64
import io
import warnings
from pathlib import Path
from typing import Any, List, Sequence, Tuple

from diamond.core.previews import (
    LONGEST_TEXT,
    THUMBNAIL_BYTES,
    THUMBNAIL_PIXELS,
    PreviewPart,
    PreviewThumbnail,
)
from diamond.data.previews.cells import note, shown_path, shown_text

MOST_PIXELS = 60_000_000
FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
"""Only these: Pillow would start other programs for some."""


def preview_images(files: Sequence[Tuple[str, Path]]) -> PreviewPart:
    thumbnails: List[PreviewThumbnail] = []
    problems: List[str] = []
    for shown, path in files:
        try:
            thumbnails.append(_thumbnail(shown, path))
        except Exception as error:
            # Pillow raises almost anything for a broken file.
            problems.append(f"{shown}: {error}")
    words = f"{len(problems)} cannot be shown: {problems[0]}" if problems else ""
    return PreviewPart(shown_path(files[0][0]), "image", note(words), images=thumbnails)


def preview_text(path: Path, shown: str) -> PreviewPart:
    with path.open("rb") as source:
        content = source.read(4 * LONGEST_TEXT)
    if b"\0" in content:
        return PreviewPart(shown_path(shown), "text", "it is not text")
    return PreviewPart(
        shown_path(shown), "text", text=shown_text(content.decode("utf-8", "replace"))
    )


def _thumbnail(shown: str, path: Path) -> PreviewThumbnail:
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        with Image.open(path, formats=FORMATS) as image:
            width, height = image.size
            image.draft("RGB", (4 * THUMBNAIL_PIXELS, 4 * THUMBNAIL_PIXELS))
            if image.mode.startswith(("I", "F")):
                image = _stretched(image)
            small = image.convert("RGBA" if "A" in image.getbands() else "RGB")
            small.thumbnail((THUMBNAIL_PIXELS, THUMBNAIL_PIXELS))
    for colours in (0, 64, 16):
        out = io.BytesIO()
        (small.convert("RGB").quantize(colours) if colours else small).save(
            out, "PNG", optimize=True
        )
        if out.tell() <= THUMBNAIL_BYTES:
            break
    return PreviewThumbnail(
        shown_path(shown), width, height, base64.b64encode(out.getvalue()).decode()
    )


def _stretched(image: Any) -> Any:
    """Of 16 bits and more: from its darkest to its brightest point."""
    low, high = image.convert("F").getextrema()
    scale = 255.0 / (high - low) if high > low else 0.0
    return image.convert("F").point(lambda value: value * scale - low * scale).convert("L")
