"""Which of a task's curves tells most about its result."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

_MOST_TELLING = (
    r"(val|valid|validation|test|eval).*(acc|f1|auc|iou|bleu|map|score|r2)",
    r"acc|accuracy|f1|auc|iou|bleu|score|r2",
    r"(val|valid|validation|test|eval).*(loss|error|mse|mae|rmse|perplexity|ppl)",
    r"loss|error|mse|mae|rmse|perplexity|ppl",
    r"reward|return",
)
_HIGHER = re.compile(
    r"acc|f1|auc|iou|bleu|rouge|map$|score|r2|reward|return|precision|recall|psnr|ssim",
    re.IGNORECASE,
)
_LOWER = re.compile(
    r"loss|err|mse|mae|perplexity|ppl|nll|divergence|distance|wer$|cer$|fid$|bpc|bpb", re.IGNORECASE
)
_PATTERNS = [re.compile(pattern, re.IGNORECASE) for pattern in _MOST_TELLING]


def most_telling(names: Iterable[str]) -> str | None:
    """Quality on unseen data before quality at all, and that before a loss; else the first name."""
    ordered = sorted(names)
    for pattern in _PATTERNS:
        for name in ordered:
            if pattern.search(name):
                return name
    return ordered[0] if ordered else None


def best_end(name: str) -> Literal["min", "max"] | None:
    """Whether a metric is best at its lowest or its highest value, judged by its name; None if that is not known."""
    if _LOWER.search(name):
        return "min"
    return "max" if _HIGHER.search(name) else None
