"""The recipe as a file that other tools build: an Apptainer definition or a Dockerfile.

Shown before anything is built, and good without Diamond. Both hold the very scripts that the steps run.
"""

from __future__ import annotations

import json
import posixpath
import shlex
from typing import Dict, List

from diamond.core.errors import BadRequest
from diamond.images.bases import Base, read_base
from diamond.images.plan import FILES, TEST, Step, has_venv, make_plan
from diamond.images.recipe import Recipe
from diamond.images.scripts import VENV, input_name

FORMATS = ("definition", "dockerfile", "script")
_BOOTSTRAPS = {
    "docker": "docker",
    "oras": "oras",
    "sif": "localimage",
    "image": "localimage",
    "oci-archive": "oci-archive",
    "docker-archive": "docker-archive",
}


def render(recipe: Recipe, form: str) -> str:
    """`definition`, `dockerfile`, or `script` (what a virtual environment is made by)."""
    renderers = {
        "definition": definition_file,
        "dockerfile": dockerfile,
        "script": script_file,
    }
    if form not in renderers:
        raise BadRequest(f"{form!r} is not a form of a recipe", f"There are: {', '.join(FORMATS)}.")
    return renderers[form](recipe)


def form_for(builder: str) -> str:
    """The form that a runtime's own users know."""
    forms = {"apptainer": "definition", "singularity": "definition", "venv": "script"}
    return forms.get(builder, "dockerfile")


def definition_file(recipe: Recipe) -> str:
    """For `apptainer build`."""
    environment, base = recipe.environment, read_base(recipe.environment.base)
    sections = [f"{_definition_head(base, recipe.base_digest)}\n"]
    files = environment.files
    if files:
        lines = [
            f"    inputs/{input_name(file)} /.diamond-inputs/{input_name(file)}" for file in files
        ]
        sections.append("%files\n" + "\n".join(lines) + "\n")
    post = "".join(_heredoc(step) for step in _steps(recipe) if step.kind != TEST)
    sections.append("%post\n" + post + ("rm -rf /.diamond-inputs\n" if files else ""))
    exports = _exports(recipe)
    if exports:
        sections.append("%environment\n" + exports)
    if environment.labels:
        lines = [f"    {name} {value}" for name, value in environment.labels.items()]
        sections.append("%labels\n" + "\n".join(lines) + "\n")
    test = [step for step in _steps(recipe) if step.kind == TEST]
    sections += ["%test\n" + _heredoc(step) for step in test]
    return "\n".join(sections)


def dockerfile(recipe: Recipe) -> str:
    """For docker 23 or newer, buildah 1.33 or newer, podman 4.8 or newer: they know here-documents."""
    environment, base = recipe.environment, read_base(recipe.environment.base)
    lines = [*_from_lines(base, recipe.base_digest)]
    lines += [
        f"COPY inputs/{input_name(file)} /.diamond-inputs/{input_name(file)}"
        for file in environment.files
    ]
    for step in _steps(recipe):
        if step.kind != TEST:
            lines.append("RUN " + _heredoc(step).rstrip("\n"))
    lines += [f"ENV {name}={_docker_word(value)}" for name, value in _variables(recipe).items()]
    lines += [f"LABEL {_docker_word(k)}={_docker_word(v)}" for k, v in environment.labels.items()]
    lines += ["RUN " + _heredoc(step).rstrip("\n") for step in _steps(recipe) if step.kind == TEST]
    return "\n".join(lines) + "\n"


def script_file(recipe: Recipe) -> str:
    """What a virtual environment is made by, as one shell script."""
    head = '#!/bin/sh\nset -eu\nexport diamond_bare=1 diamond_venv="${1:?where to make it}" diamond_site="${2:-.}"\n'
    return head + "".join(_heredoc(step) for step in _steps(recipe))


def docker_change(name: str, value: str) -> str:
    """One `ENV` line, as `podman commit --change` takes it too."""
    return f"ENV {name}={_docker_word(value)}"


def _steps(recipe: Recipe) -> List[Step]:
    return [step for step in make_plan(recipe, "definition").steps if step.script]


def _definition_head(base: Base, digest: str) -> str:
    if not base.kind:
        raise BadRequest("A container needs a base image", "Add `base: docker://…`.")
    if base.kind == "rootfs":
        unpack = f'tar -xf {shlex.quote(base.address)} -C "$APPTAINER_ROOTFS"'
        return f"Bootstrap: scratch\n\n%setup\n    {unpack}"
    bootstrap = _BOOTSTRAPS[base.kind]
    address = (
        f"{base.repository}@{digest}"
        if bootstrap in ("docker", "oras") and digest
        else base.address
    )
    return f"Bootstrap: {bootstrap}\nFrom: {address}"


def _from_lines(base: Base, digest: str) -> List[str]:
    if base.kind == "docker":
        return [f"FROM {base.repository}@{digest}" if digest else f"FROM {base.address}"]
    if base.kind == "rootfs":
        return ["FROM scratch", f"ADD {json.dumps([posixpath.basename(base.address), '/'])}"]
    if not base.kind:
        raise BadRequest("A container needs a base image", "Add `base: docker://…`.")
    return [f"# {base.reference}: load it first and tag it `diamond-base`", "FROM diamond-base"]


def _heredoc(step: Step) -> str:
    """A step as its own shell: a command's variables and `cd` do not reach the next one."""
    script = step.script
    if step.kind == FILES:
        script = script.replace('"$diamond_site/inputs/', '"/.diamond-inputs/')
    mark = "END_OF_STEP"
    while mark in script.splitlines():
        mark += "_"
    comment = f"# {step.name}: {step.title}".replace("\n", " ")
    return f"/bin/sh -eu <<'{mark}'\n{comment}\n{script}{mark}\n"


def _variables(recipe: Recipe) -> Dict[str, str]:
    variables = dict(recipe.environment.variables)
    if has_venv(recipe.environment):
        default = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        variables.setdefault("PATH", f"{VENV}/bin:{default}")
        variables.setdefault("VIRTUAL_ENV", VENV)
    return variables


def _exports(recipe: Recipe) -> str:
    lines = [f"    export {k}={shlex.quote(v)}\n" for k, v in recipe.environment.variables.items()]
    if has_venv(recipe.environment):
        lines.append(f'    export VIRTUAL_ENV={VENV} PATH="{VENV}/bin:$PATH"\n')
    return "".join(lines)


def _docker_word(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$")
    return f'"{escaped}"'
