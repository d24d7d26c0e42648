"""Run by its path, so that nothing in the person's folder can stand in front of the standard library."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import List

sys.path[0] = str(Path(__file__).resolve().parents[3])


def main(words: List[str]) -> int:
    """`oversee PLAN`, `fork COUNT WORD…`, `rank WORD…`, or `rank-of-launcher` as `rank.sh` calls it."""
    act, *rest = words
    if act == "rank":
        from diamond.launchers.ranks.rank import run_rank

        return run_rank(rest)
    if act == "rank-of-launcher":
        from diamond.launchers.ranks.rank import run_rank_of_launcher

        return run_rank_of_launcher(rest)
    if act == "fork":
        from diamond.launchers.ranks.fork import fork_ranks

        return fork_ranks(int(rest[0]), rest[1:])
    from diamond.launchers.ranks.oversee import oversee

    return oversee(rest[0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
