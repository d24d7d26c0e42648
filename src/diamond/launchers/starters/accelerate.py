"""accelerate: its `launch` runs once on each node and starts the ranks there."""

from __future__ import annotations

FUNCTION = """\
accelerate() {
  if [ "$1" = launch ]; then
    shift
    diamond_ranks=$((PET_NNODES * PET_NPROC_PER_NODE))
    diamond_kind= diamond_part=option:
    [ "$diamond_ranks" != 1 ] || diamond_kind=single
    for diamond_word do
      shift
      case "$diamond_part$diamond_word" in
        option:*.py | option:-m | option:--module | option:--no?python) diamond_part=program: ;;
        option:--cpu)
          if [ "$diamond_kind" != single ]; then export ACCELERATE_USE_CPU=true; continue; fi ;;
        option:--multi?gpu | option:--tpu | option:--use?* | option:--config?file*) diamond_kind=given ;;
      esac
      set -- "$@" "$diamond_word"
    done
    [ -n "$diamond_kind" ] || set -- --multi_gpu "$@"
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

Without `--multi_gpu` it starts one process where it sees no GPU, with `--cpu` one on each node; what that should do is
left to ACCELERATE_USE_CPU. Options behind the name of the script are the script's own. A single process it starts by `sys.executable`,
whatever PYTHON_EXEC says, and turns each bad exit code into 1: the shim takes Python's place there.
"""
SCRIPT = FUNCTION + 'accelerate launch "$@"'
NO_PYTHON = "--no_python"
