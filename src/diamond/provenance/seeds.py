"""Seeds that can be seen in parameters and variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_SEED = re.compile(r"(?:^|[^a-z])seeds?(?:$|[^a-z])|^PYTHONHASHSEED$", re.IGNORECASE)
_MOST = 50
_LONGEST = 80


def seeds_in(values: Mapping[str, Any], at: str = "") -> dict[str, str]:
    """Names with `seed` in them, also in groups of parameters (`model.seed`)."""
    seen: dict[str, str] = {}
    for name, value in values.items():
        whole = f"{at}{name}"
        if isinstance(value, Mapping):
            seen.update(seeds_in(value, f"{whole}."))
        elif _SEED.search(str(name)) and isinstance(value, (int, float, str)):
            seen[whole] = str(value)[:_LONGEST]
    return dict(list(seen.items())[:_MOST])
