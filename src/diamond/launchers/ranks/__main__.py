"""Run by its path, so that nothing in the user's folder can hide a module of the standard library."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import List

sys.path[0] = str(Path(__file__).resolve().parents[3])


def main(command: List[str]) -> int:
    """`oversee PLAN`, `fork COUNT WORD…`, `rank WORD…`, or `rank-of-launcher` as `rank.sh` calls it."""
    act, *rest = command
    if act == "rank":
        from diamond.launchers.ranks.rank import run_rank

        return run_rank(rest)
    if act == "rank-of-launcher":
        from diamond.launchers.ranks.rank import run_rank_of_launcher

        return run_rank_of_launcher(rest)
    if act == "fork":
        return _fork(rest)
    from diamond.launchers.ranks.overseer import oversee

    return oversee(rest[0])


def _fork(command: List[str]) -> int:
    from diamond.launchers.ranks.rank_files import RankFiles
    from diamond.launchers.starters.fork import fork_ranks

    files = RankFiles(Path(os.environ["DIAMOND_RANKS"]).parent)
    return fork_ranks(int(command[0]), command[1:], on_failure=files.write_end)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
