"""`python -m diamond.training.notebook SOURCE TARGET`: run a notebook from top to bottom.

The executed copy is written after each cell, so finished cells are never lost. A failing cell ends the run with 1; one
that calls `sys.exit(n)`, with n.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List

from diamond.training.context import params

_TAG = "parameters"
_MISSING = """\
This environment cannot run a notebook: {error}.
Diamond adds nbclient and ipykernel to environments that it makes; add them to your own image."""


def main(arguments: List[str]) -> int:
    source, target = Path(arguments[0]), Path(arguments[1])
    try:
        nbformat, nbclient = (importlib.import_module(name) for name in ("nbformat", "nbclient"))
        importlib.import_module("ipykernel")
    except ImportError as error:
        print(_MISSING.format(error=error), file=sys.stderr)
        return 1
    notebook = nbformat.read(str(source), as_version=4)
    _put_values(notebook, params(), nbformat)
    with tempfile.TemporaryDirectory() as folder:
        # The home folder may not be available on a compute node, and jupyter writes there by default.
        os.environ.update(JUPYTER_RUNTIME_DIR=folder, IPYTHONDIR=folder)
        return _run(notebook, target, nbformat, nbclient)


def _put_values(notebook: Any, values: Dict[str, Any], nbformat: Any) -> None:
    """As papermill does: a cell after the one tagged `parameters`, or before all others."""
    if not values:
        return
    text = "\n".join(f"{name} = {value!r}" for name, value in values.items())
    cell = nbformat.v4.new_code_cell(text, metadata={"tags": ["injected-parameters"]})
    tagged = [
        n
        for n, candidate in enumerate(notebook.cells)
        if _TAG in candidate.metadata.get("tags", [])
    ]
    notebook.cells.insert(tagged[0] + 1 if tagged else 0, cell)


def _run(notebook: Any, target: Path, nbformat: Any, nbclient: Any) -> int:
    client = nbclient.NotebookClient(
        notebook,
        timeout=None,
        kernel_name="python3",
        resources={"metadata": {"path": str(Path.cwd())}},
    )
    # Not over TCP: a compute node may be shared.
    client.create_kernel_manager().transport = "ipc"
    code_cells = [n for n, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    with client.setup_kernel():
        for done, number in enumerate(code_cells, 1):
            cell = notebook.cells[number]
            print(f"[{done}/{len(code_cells)}] {_first_line(cell.source)}", flush=True)
            try:
                client.execute_cell(cell, number)
            except nbclient.exceptions.CellExecutionError as error:
                return _failed(error, cell)
            finally:
                _write(notebook, target, nbformat)
                _print_outputs(cell)
    return 0


def _failed(error: Any, cell: Any) -> int:
    if getattr(error, "ename", "") == "SystemExit":
        said = str(getattr(error, "evalue", ""))
        return int(said) if said.isdigit() else int(bool(said and said != "None"))
    for output in cell.outputs:
        if output.output_type == "error":
            print("\n".join(output.traceback), file=sys.stderr, flush=True)
    return 1


def _write(notebook: Any, target: Path, nbformat: Any) -> None:
    aside = target.with_name(f".{target.name}.part")
    nbformat.write(notebook, str(aside))
    aside.replace(target)


def _print_outputs(cell: Any) -> None:
    """What a cell prints goes to the log too."""
    for output in cell.outputs:
        if output.output_type == "stream":
            stream = sys.stderr if output.name == "stderr" else sys.stdout
            print(output.text, end="", file=stream, flush=True)
        elif "text/plain" in output.get("data", {}):
            print(output.data["text/plain"], flush=True)


def _first_line(source: str) -> str:
    lines = [line for line in source.splitlines() if line.strip()]
    return lines[0][:100] if lines else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
