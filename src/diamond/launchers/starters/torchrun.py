"""torchrun: runs once on each node and starts the ranks there."""

from __future__ import annotations

from diamond.launchers.starters.base import RankVariables

VARIABLES = RankVariables(
    rank=("RANK",),
    world_size=("WORLD_SIZE",),
    local_rank=("LOCAL_RANK",),
    local_world_size=("LOCAL_WORLD_SIZE",),
    node_rank=("GROUP_RANK", "NODE_RANK"),
)
SCRIPT = (
    'if command -v torchrun >/dev/null; then exec torchrun "$@"; fi; '
    'exec python3 -m torch.distributed.run "$@"'
)
NO_PYTHON = "--no-python"
