"""Runs of MLflow and W&B, read on the side of the person and sent to the service as read-only rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from diamond.core.errors import BadRequest
from diamond.sdk.importing.mlflow import mlflow_database, mlflow_folder, mlflow_server
from diamond.sdk.importing.runs import ForeignRun
from diamond.sdk.importing.wandb import wandb_folders

__all__ = ["ForeignRun", "read_runs"]


def read_runs(source: str) -> Iterator[ForeignRun]:
    """Of an `mlruns` folder, an `mlflow.db`, the address of an MLflow server, or a folder of W&B. Raises `BadRequest`."""
    if source.startswith(("http://", "https://")):
        return mlflow_server(source)
    path = Path(source).expanduser()
    if path.is_file() and path.suffix == ".db":
        return mlflow_database(path)
    if not path.is_dir():
        raise BadRequest(f"{source} is neither a folder nor a database", KINDS)
    if files := _wandb_files(path):
        return wandb_folders(files)
    if (path / "mlflow.db").is_file():
        return mlflow_database(path / "mlflow.db")
    for folder in (path, path / "mlruns"):
        if any(folder.glob("*/meta.yaml")):
            return mlflow_folder(folder)
    raise BadRequest(f"{source} has no runs of MLflow or W&B", KINDS)


def _wandb_files(path: Path) -> list[Path]:
    """Below a folder `wandb`, of one run, or of a project that has it."""
    patterns = ("*.wandb", "*run-*/*.wandb", "wandb/*run-*/*.wandb")
    found = {file.resolve() for pattern in patterns for file in path.glob(pattern)}
    return sorted(found)


KINDS = "Give an mlruns folder, an mlflow.db, the address of an MLflow server, or a folder that W&B wrote offline."
