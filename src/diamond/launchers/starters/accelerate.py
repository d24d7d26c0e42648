"""accelerate: its `launch` runs once on each node and starts the ranks there."""

from __future__ import annotations

FUNCTION = """\
accelerate() {
  if [ "$1" = launch ]; then
    shift
    diamond_ranks=$((PET_NNODES * PET_NPROC_PER_NODE))
    case "$diamond_ranks $*" in
      "1 "* | *--multi?gpu* | *--cpu* | *--tpu* | *--use?deepspeed* | *--use?fsdp* | *--config?file*) ;;
      *) set -- --multi_gpu "$@" ;;
    esac
    set -- launch --num_machines "$PET_NNODES" --machine_rank "$PET_NODE_RANK" \\
      --num_processes "$diamond_ranks" --main_process_ip "$PET_MASTER_ADDR" \\
      --main_process_port "$PET_MASTER_PORT" "$@"
    diamond_python=$(type -P accelerate 2>/dev/null)
    diamond_python=${diamond_python%/*}/python
    if [ "$diamond_ranks" = 1 ] && [ -x "$diamond_python" ]; then
      "$diamond_python" -c "$diamond_accelerate" "$@"
      return
    fi
  fi
  command accelerate "$@"
}
export diamond_accelerate='import os, sys
sys.executable, sys.argv[0] = os.environ["DIAMOND_RANK_PYTHON"], "accelerate"
from accelerate.commands.accelerate_cli import main
main()'
"""
"""accelerate takes the shape of a job from its options alone; those that the user writes come later and win.

Without `--multi_gpu` it starts one process where it sees no GPU. A single process it starts by `sys.executable`,
whatever PYTHON_EXEC says, and turns each bad exit code into 1: the shim takes Python's place there.
"""
SCRIPT = FUNCTION + 'accelerate launch "$@"'
NO_PYTHON = "--no_python"
