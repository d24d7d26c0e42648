"""A task as files that run without Diamond: `run.sh`, `command.sh` and a batch script."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from diamond.core.order import Order
from diamond.provenance.public import is_private_path, path_pattern

RUN, COMMAND, BATCH, PARAMS = "run.sh", "command.sh", "job.sh", "params.json"
CODE, SUPPORT, LOCK = "code", "support", "lock.txt"
DATA, IMAGE, IMAGE_FACTS = "data", "image", "image.json"
_VARIABLE = re.compile(r"[^A-Za-z0-9_]")


@dataclass(frozen=True)
class PlainRun:
    """What the files are made from."""

    name: str
    order: Order
    """With its paths: those that only exist on that machine become variables."""
    start: str
    """Shell text that starts "$@", in as many processes as the order asks for."""
    directives: Sequence[str] = ()
    """Lines of a batch system for the top of the batch script."""
    has_code: bool = False
    has_support: bool = False
    lock: str = ""
    """The file with the lock, if it is there."""
    variables: Mapping[str, str] = field(default_factory=dict)
    image: str = ""
    """The file of its image, if it is there and Apptainer can enter it."""


@dataclass(frozen=True)
class PlainCommand:
    text: str
    paths: tuple[str, ...]
    """Variables for paths of the machine it ran on, which somebody else must set."""


def run_script(plain: PlainRun) -> str:
    """Copies the code into a new folder, prepares the environment, and starts the command there."""
    command = plain_command(plain.order)
    parts = [
        _HEAD.format(name=_comment(plain.name), paths=_path_words(command)),
        *(f"export {name}={shlex.quote(value)}" for name, value in plain.variables.items()),
        *(_data_line(name, plain.order) for name in [*plain.order.data, *plain.order.trees]),
        *(f': "${{{name}:?{_PATH_WORDS}}}"; export {name}' for name in command.paths),
        *(f': "${{{name}:?{_SECRET_WORDS}}}"; export {name}' for name in plain.order.secrets),
        _SUPPORT if plain.has_support else "",
        _CODE if plain.has_code else _NO_CODE if plain.order.code else "",
        _image_lines(plain) if plain.image else "",
        _LOCK if plain.lock else "",
        "start() {",
        plain.start,
        "}",
        'cd "$work"',
        _START_INSIDE if plain.image else _START,
    ]
    return "\n".join(part for part in parts if part) + "\n"


def command_file(order: Order) -> str:
    return plain_command(order).text.rstrip("\n") + "\n"


def batch_script(plain: PlainRun) -> str:
    """The same for a batch system: `run.sh` under lines that ask for the same resources."""
    return "\n".join(
        [
            "#!/bin/bash",
            *plain.directives,
            f"# {_comment(plain.name)}, as it was asked for. Add your account and partition above.",
            "# A batch system may copy this script: run it from the folder that has run.sh.",
            'cd "${DIAMOND_CRATE:-$PWD}" && exec bash ./run.sh "$@"',
            "",
        ]
    )


def plain_command(order: Order) -> PlainCommand:
    """The command with data by their variables, and every other path of the machine as a variable to set."""
    text = order.program.text
    for name, path in sorted(order.data.items(), key=lambda pair: -len(pair[1])):
        text = text.replace(path, f"${data_variable(name)}")
    paths: dict[str, str] = {}

    def as_variable(found: re.Match[str]) -> str:
        path = found[0]
        if not is_private_path(path):
            return path
        return "$" + paths.setdefault(path, f"DIAMOND_PATH_{len(paths) + 1}")

    return PlainCommand(path_pattern().sub(as_variable, text), tuple(paths.values()))


def data_variable(name: str) -> str:
    return "DIAMOND_DATA_" + _VARIABLE.sub("_", name).upper()


def _image_lines(plain: PlainRun) -> str:
    """Inside the image of the crate, where Apptainer is there; DIAMOND_ENVIRONMENT chooses otherwise."""
    variables = [data_variable(name) for name in [*plain.order.data, *plain.order.trees]]
    binds = "".join(f' --bind "${variable}"' for variable in variables)
    path = ":".join(plain.order.image.path) if plain.order.image else ""
    words = f'--pwd "$work" --bind "$here" --bind "$work"{binds}'
    image = f'"$here"/{shlex.quote(plain.image)}'
    prepended = f"export APPTAINERENV_PREPEND_PATH={shlex.quote(path)}\n" if path else ""
    return prepended + _IMAGE.format(words=words, image=image)


def _data_line(name: str, order: Order) -> str:
    variable, quoted = data_variable(name), shlex.quote(name)
    tree = order.trees.get(name)
    inside = f"/{shlex.quote(tree.file)}" if tree and tree.file else ""
    lines = [
        f'[ -n "${{{variable}:-}}" ] || {variable}=$here/{DATA}/{quoted}{inside}',
        f'[ -e "${variable}" ] || {{ echo "Missing data: "{quoted}". Set {variable} to where it is." >&2; exit 66; }}',
        f'export {variable}; ln -sfn "${variable}" "$DIAMOND_DATA/"{quoted}',
    ]
    return "\n".join(lines)


def _comment(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f]", " ", text)[:200]


def _path_words(command: PlainCommand) -> str:
    if not command.paths:
        return ""
    return f"# Set {', '.join(command.paths)}: paths of the machine that it ran on, used in command.sh.\n"


_PATH_WORDS = "set it to the path that command.sh needs here"
_SECRET_WORDS = "set this secret, which the program reads"
_HEAD = """\
#!/bin/bash
# Runs {name} again, without Diamond: bash run.sh [FOLDER]
{paths}set -eu
here=$(cd "$(dirname "${{BASH_SOURCE[0]}}")" && pwd)
work=${{1:-$here/run}}
mkdir -p "$work/.data"
work=$(cd "$work" && pwd)
export DIAMOND_RUN_DIR=$work DIAMOND_DATA=$work/.data DIAMOND_INPUTS=$work/.data DIAMOND_PARAMS=$here/params.json
export DIAMOND_METRICS=$work/metrics.jsonl PYTHONUNBUFFERED=1"""
_SUPPORT = 'export PYTHONPATH="${PYTHONPATH:+$PYTHONPATH:}$here/support"'
_CODE = 'cp -R "$here/code/." "$work/"'
_NO_CODE = (
    '[ -z "${DIAMOND_CODE:-}" ] || cp -R "$DIAMOND_CODE/." "$work/"  '
    "# the code is not in here: set DIAMOND_CODE to a folder with it"
)
_START = 'start bash "$here/command.sh"'
_START_INSIDE = """\
if [ ${#inside[@]} -gt 0 ]; then  # some images have no bash
  start "${inside[@]}" sh -c 'exec $(command -v bash || echo sh) "$0"' "$here/command.sh"
else
  start bash "$here/command.sh"
fi"""
_IMAGE = """\
# The image that it ran in. DIAMOND_ENVIRONMENT=lock installs the packages instead, =none uses the Python that is there.
inside=()
if [ -z "${{DIAMOND_ENVIRONMENT:-}}" ] && command -v apptainer >/dev/null; then
  inside=(apptainer exec {words} {image})
  DIAMOND_ENVIRONMENT=none
fi"""
_LOCK = """\
# The packages that it ran with. DIAMOND_ENVIRONMENT=none uses the Python that is there.
if [ "${DIAMOND_ENVIRONMENT:-}" != none ]; then
  [ -x "$work/.venv/bin/python" ] || python3 -m venv "$work/.venv"
  "$work/.venv/bin/python" -m pip install --quiet -r "$here/lock.txt"
  export PATH="$work/.venv/bin:$PATH"
fi"""
