"""`enter.sh`: starts a command inside an image, with the variables that belong there and no others."""

from __future__ import annotations

import shlex
from typing import List, Sequence

from diamond.runtimes.base import Enter
from diamond.runtimes.manifests import ImageManifest

ALLOWED = (
    *("DIAMOND_*", "PMI_*", "PMIX_*", "PALS_*", "OMPI_*", "MPICH_*"),
    *("FI_*", "UCX_*", "NCCL_*", "RCCL_*", "GLOO_*", "TORCH_NCCL_*", "TORCHELASTIC_*"),
    *("TORCH_DISTRIBUTED_*", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "NVIDIA_VISIBLE_DEVICES"),
    *("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ZE_AFFINITY_MASK"),
    *("MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"),
    *("PET_*", "PYTHON_EXEC", "TP_SOCKET_IFNAME", "TF_CONFIG", "TF_FORCE_GPU_ALLOW_GROWTH"),
    *("JAX_*", "HF_*", "TRANSFORMERS_OFFLINE", "WANDB_MODE", "ACCELERATE_*"),
    *("NODE_RANK", "GROUP_RANK", "ROLE_RANK", "OMP_*", "KMP_*", "MKL_*", "OPENBLAS_*"),
    *("LANG", "LC_*", "TZ", "TERM", "PYTHONUNBUFFERED"),
)
"""What Diamond and the launchers of ranks set for a program; nothing of a user's own shell. The batch system's are added."""
FORBIDDEN = ("DIAMOND_TOKEN", "DIAMOND_KEEP")

_GPUS = """\
if [ "$diamond_gpus" = auto ]; then
  diamond_gpus=
  if [ -e /dev/nvidiactl ]; then diamond_gpus=nvidia; elif [ -e /dev/kfd ]; then diamond_gpus=amd; fi
fi
"""
_TMP = """\
diamond_tmp=${TMPDIR:-/tmp}
case $diamond_tmp in *[:,\\"]*) diamond_tmp=/tmp ;; esac
export TMPDIR=/tmp
"""
_START = """\
diamond_inside='[ -z "$0" ] || PATH=$0:$PATH; export PATH
command -v "$1" >/dev/null 2>&1 || [ "$1" != bash ] || { shift; set -- sh "$@"; }
'${diamond_run:-'exec "$@"'}
set -- "${diamond_words[@]}" /bin/sh -c "$diamond_inside" "$diamond_path" "$@"
"""


def enter_script(
    enter: Enter,
    manifest: ImageManifest,
    *,
    training: str,
    names: Sequence[str] = (),
    gpus: str = "",
) -> str:
    """The text of `enter.sh`. Variables of an image or a spec are set inside, as the program is started.

    `names` are further variables, or patterns such as `PBS_*`, that may go in.
    """
    allowed = [*ALLOWED, *names, "PYTHONPATH", "PYTHONNOUSERSITE", "TMPDIR"]
    python_path = training
    lines = [
        "#!/bin/bash",
        f"# Diamond: starts a command inside image {manifest.sha256}",
        _unchanged(manifest),
        _array("diamond_words", enter.words),
        f"diamond_path={shlex.quote(':'.join(manifest.path))}",
        f"diamond_gpus={shlex.quote(gpus)}",
        _TMP + _insert(enter.tmp, enter.at) + _GPUS + _gpu_words(enter),
        f"export PYTHONNOUSERSITE=1 PYTHONPATH={shlex.quote(python_path)}",
        "" if python_path else "unset PYTHONPATH",
        enter.before,
        _passing(enter, allowed),
    ]
    return "\n".join(line for line in lines if line) + "\n" + _START + enter.start


def program_script(
    enter: Enter,
    manifest: ImageManifest,
    *,
    training: str = "",
    names: Sequence[str] = (),
    gpus: str = "",
) -> str:
    """`enter.sh` that sets the image's own variables too, as a job does when it starts its program."""
    script = enter_script(enter, manifest, training=training, names=names, gpus=gpus)
    own = " ".join(shlex.quote(f"{name}={value}") for name, value in manifest.variables.items())
    head, _, body = script.partition("\n")
    return f'{head}\nset -- env {own} "$@"\n{body}' if own else script


def _unchanged(manifest: ImageManifest) -> str:
    """Another person's file may have changed since it was verified, so it is checked again when it is used."""
    if not manifest.shared:
        return ""
    stat = manifest.stat
    times = " ".join(
        f"{stat[name] // 10**9}.{stat[name] % 10**9:09d}" for name in ("mtime_ns", "ctime_ns")
    )
    seen = f"{stat['size']} {times} {stat['inode']}"
    file = shlex.quote(manifest.file)
    return (
        f"if [ \"$(stat -Lc '%s %.9Y %.9Z %i' -- {file})\" != {shlex.quote(seen)} ]; then\n"
        "  echo 'Diamond: the shared image file was changed since it was verified' >&2; exit 1\nfi"
    )


def _passing(enter: Enter, allowed: Sequence[str]) -> str:
    """Names are letters, digits and underscores alone. No process is started: on a busy node each costs a turn.

    A TERM that nobody gave is bash's own.
    """
    known = dict.fromkeys(
        f'"${{!{name[:-1]}@}}"' if name.endswith("*") else name for name in allowed
    )
    return (
        '[ "$TERM" != dumb ] || unset TERM\n'
        f"for name in {' '.join(known)}; do\n"
        f"  case $name in {'|'.join(FORBIDDEN)}) continue ;; esac\n"
        f'  if [ -n "${{!name+given}}" ]; then {enter.pass_on}; fi\n'
        "done"
    )


def _gpu_words(enter: Enter) -> str:
    lines = ["case $diamond_gpus in"]
    for kind, options in enter.gpu_words.items():
        inner = _insert(" ".join(shlex.quote(word) for word in options), enter.at).rstrip("\n")
        lines.append(f"  {kind}) {inner} ;;")
    return "\n".join([*lines, "esac"]) if enter.gpu_words else ""


def _insert(text: str, at: int) -> str:
    """Put words behind the first `at`; `words` is fixed shell text of an adapter."""
    if not text:
        return ""
    return f'diamond_words=("${{diamond_words[@]:0:{at}}}" {text} "${{diamond_words[@]:{at}}}")\n'


def _array(name: str, values: Sequence[str]) -> str:
    quoted: List[str] = [shlex.quote(word) for word in values]
    return f"{name}=({' '.join(quoted)})"
