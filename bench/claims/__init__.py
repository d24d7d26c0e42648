"""One file for each claim."""

from __future__ import annotations

from bench.claims import (
    burst,
    chain,
    checkpoints,
    class_begins,
    cli_start,
    crowd,
    endings,
    hidden,
    idle,
    images,
    images_shared,
    launch,
    log_lines,
    pages,
    planning,
    questions,
    scale,
    starts,
    task_list,
)

CLAIMS = [
    starts.CLAIM,
    burst.CLAIM,
    endings.CLAIM,
    log_lines.CLAIM,
    task_list.CLAIM,
    cli_start.CLAIM,
    idle.CLAIM,
    questions.CLAIM,
    hidden.CLAIM,
    crowd.CLAIM,
    class_begins.CLAIM,
    pages.CLAIM,
    planning.CLAIM,
    scale.CLAIM,
    chain.CLAIM,
    images.CLAIM,
    images_shared.CLAIM,
    launch.CLAIM,
    checkpoints.ARMS,
    checkpoints.SLOWDOWN,
]
