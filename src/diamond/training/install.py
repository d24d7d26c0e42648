"""Install this library, and nothing else of Diamond, where a job's own Python can import it."""

from __future__ import annotations

import hashlib
import pkgutil
import shutil
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Dict, Iterator, Sequence, Tuple

import diamond
import diamond.training
import diamond.training.checkpoints

_PACKAGE_INIT = '''"""The part of Diamond that is used inside jobs; an installed Diamond stays reachable."""

__path__ = __import__("pkgutil").extend_path(__path__, __name__)
__version__ = {version!r}
'''


def install_training(folder: Path, *, also: Sequence[ModuleType] = ()) -> str:
    """Put `diamond.training`, and the packages in `also`, under `folder` and return the entry for PYTHONPATH.

    Works from a zipapp. The folder is named by content, so an upgraded agent leaves the files of running jobs alone.
    """
    sources = training_sources(also)
    target = Path(folder).absolute() / f"training-{_digest(sources)}"
    if not all((target / name).is_file() for name in sources):
        _lay_out(target, sources)
    return str(target)


def training_sources(also: Sequence[ModuleType] = ()) -> Dict[str, bytes]:
    """The files, by their paths below an entry of PYTHONPATH."""
    sources = {"diamond/__init__.py": _PACKAGE_INIT.format(version=diamond.__version__).encode()}
    for package in (diamond.training, diamond.training.checkpoints, *also):
        sources.update(_files(package))
        parent = package.__name__.rpartition(".")[0].replace(".", "/")
        sources.setdefault(f"{parent}/__init__.py", b"")
    return sources


def _files(package: ModuleType) -> Iterator[Tuple[str, bytes]]:
    modules = [
        found_module.name
        for found_module in pkgutil.iter_modules(package.__path__)
        if not found_module.ispkg
    ]
    for name in ["__init__", *modules]:
        content = pkgutil.get_data(package.__name__, f"{name}.py")
        if content is not None:
            yield f"{package.__name__.replace('.', '/')}/{name}.py", content


def _digest(sources: Dict[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(name.encode() + b"\0" + sources[name] + b"\0")
    return digest.hexdigest()[:16]


def _lay_out(target: Path, sources: Dict[str, bytes]) -> None:
    """Written elsewhere, then moved file by file, because other processes and threads may do the same at the same time."""
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f"{target.name}.", dir=str(target.parent)))
    for name, content in sources.items():
        (aside / name).parent.mkdir(parents=True, exist_ok=True)
        (aside / name).write_bytes(content)
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (aside / name).replace(target / name)
    shutil.rmtree(aside, ignore_errors=True)
