"""How a person without Diamond starts the ranks of an order: shell text that starts "$@"."""

from __future__ import annotations

from diamond.core.order import Order


def plain_start(order: Order) -> str:
    ranks, per_node, nodes = order.ranks, order.resources.tasks_per_node, order.resources.nodes
    if order.launch.kind == "single" or order.launch.starts_ranks or ranks == 1:
        return '  "$@"'
    if order.launch.kind in ("torchrun", "accelerate"):
        return _TORCHRUN.format(nodes=nodes, per_node=per_node)
    if order.launch.kind == "mpi":
        return f'  mpirun -n {ranks} "$@"'
    return _RANKS.format(ranks=ranks, per_node=per_node, nodes=nodes)


_TORCHRUN = """\
  if [ {nodes} -gt 1 ]; then
    first=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
    srun --ntasks-per-node=1 torchrun --nnodes={nodes} --nproc-per-node={per_node} \\
      --rdzv-backend=c10d --rdzv-endpoint="$first:29500" --no-python "$@"
  else
    torchrun --standalone --nproc-per-node={per_node} --no-python "$@"
  fi"""
_RANKS = """\
  export WORLD_SIZE={ranks} MASTER_PORT=${{MASTER_PORT:-29500}}
  if [ {nodes} -gt 1 ]; then
    MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
    export MASTER_ADDR
    srun --nodes={nodes} --ntasks-per-node={per_node} \\
      bash -c 'RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID exec "$@"' rank "$@"
  else
    export MASTER_ADDR=127.0.0.1
    local rank pids= code=0 pid
    for rank in $(seq 0 $(({ranks} - 1))); do
      RANK=$rank LOCAL_RANK=$rank "$@" &
      pids="$pids $!"
    done
    for pid in $pids; do wait "$pid" || code=$?; done
    return $code
  fi"""
