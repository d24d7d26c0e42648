"""Check how a command takes its checkpoint: `{resume}`, and `{resume:--option %}`, which appears only if there is one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from diamond.compose.faults import Faults
from diamond.compose.parameters import OPTION_TEXT, RESUME

_RESUME_OPTION = re.compile(r"(?<!\$)\{resume:([^{}]*)\}")


def check_resume(
    run: str | list[str], params: Mapping[str, Any], pattern: str, faults: Faults
) -> list[str]:
    """Faults of `{resume:…}`; a warning about a `{resume}` that never names a checkpoint."""
    command = run if isinstance(run, str) else "\n".join(run)
    if RESUME in params:
        return []
    options = _RESUME_OPTION.findall(command)
    for text in options:
        if not re.fullmatch(OPTION_TEXT, text):
            faults.add(
                "run",
                f"{{resume:{text}}} contains a character that is not allowed there",
                "Use letters, digits, spaces and . , : / @ + = - _ only, and % for the checkpoint's path, "
                "without quotes: {resume:--resume %}",
            )
    if pattern:
        return []
    if options:
        faults.add(
            "run",
            f"{{resume:{options[0]}}} needs a checkpoint to resume from",
            "Say where your program saves: continue: {from: 'ckpt/*.pt'}",
        )
        return []
    warning = "`{resume}` never names a checkpoint, because `continue.from` is missing: continue: {from: 'ckpt/*.pt'}"
    return [warning] if "{resume}" in command else []
