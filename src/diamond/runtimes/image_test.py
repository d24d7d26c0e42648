"""The test of an image: in the finished file, entered as a job enters it, as the person whose job it will be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from diamond.images.plan import Step
from diamond.runtimes.base import Inside, Runtime
from diamond.runtimes.calls import Call
from diamond.runtimes.entering import program_script
from diamond.runtimes.image_folders import ImageFolders
from diamond.runtimes.manifests import ImageManifest


def run_test(
    step: Step,
    manifest: ImageManifest,
    runtime: Runtime,
    *,
    image_folders: ImageFolders,
    scratch: Path,
    call: Call,
) -> int:
    """Returns the exit code of the step. It starts in an empty folder that it may write to, like a job's."""
    folder = scratch / "test"
    folder.mkdir()
    script = scratch / "test.sh"
    script.write_text(step.script, encoding="utf-8")
    file = _beside_the_store(manifest, image_folders, scratch)
    try:
        binds = [(str(folder), str(folder)), (str(script), str(script))]
        enter = runtime.enter(replace(manifest, file=str(file)), Inside(binds, str(folder)))
        assert enter is not None, f"{runtime.name} tests before it packs"
        entering = scratch / "enter-test.sh"
        entering.write_text(program_script(enter, manifest), encoding="utf-8")
        return call.run(["bash", str(entering), "/bin/sh", "-eu", str(script)])
    finally:
        file.unlink()


def _beside_the_store(manifest: ImageManifest, image_folders: ImageFolders, scratch: Path) -> Path:
    """Runtimes find their own storage from an image's folder, so the file must seem to be as deep as in the store."""
    packed = Path(manifest.file)
    link = image_folders.building / f"{scratch.name}{packed.suffix}"
    link.unlink(missing_ok=True)
    link.symlink_to(packed)
    return link
