"""API calls about images: build, inspect, compare, transfer, delete."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from diamond.core.errors import BadRequest, EnvironmentFailed
from diamond.sdk.listing import Listing
from diamond.sdk.query_calls import QueryCalls
from diamond.sdk.transport import API, path_segment

JsonObject = dict[str, Any]
POLL_SECONDS = 0.5


class ImageCalls(QueryCalls):
    def images(
        self, *, search: str = "", endpoint: str = "", limit: int | None = None
    ) -> Listing[JsonObject]:
        """Newest first; `search` matches the name, base, packages and labels."""
        return self.pages(f"{API}/images", {"search": search, "endpoint": endpoint}, limit)

    def image(self, image: str) -> JsonObject:
        """Look up by name, id, or the beginning of a digest."""
        return dict(self.transport.get(_path(image)))

    def image_contents(self, image: str) -> JsonObject:
        """Packages with their versions: `{"python": […], "system": […]}`."""
        return dict(self.transport.get(_path(image, "contents")))

    def image_definition(self, image: str, form: str = "") -> str:
        """The definition file, Dockerfile or script that the image was built from."""
        answer = self.transport.call("GET", _path(image, "definition"), query={"form": form})
        return answer.body.decode()

    def image_diff(self, a: str, b: str) -> JsonObject:
        return dict(self.transport.get(f"{API}/images/diff", {"a": a, "b": b}))

    def image_uses(self, image: str, limit: int | None = None) -> Listing[JsonObject]:
        return self.pages(_path(image, "uses"), {}, limit)

    def build_image(
        self,
        environment: Mapping[str, Any] | str | Path,
        *,
        name: str = "",
        on: str = "auto",
        runtime: str = "",
        upgrade: bool = False,
        account: str = "auto",
        folder: Path | None = None,
    ) -> JsonObject:
        """Start a build, join a running one, or find the image: `{"build", "image", "warnings"}`.

        The environment is a mapping or a file (Diamond's YAML, requirements.txt, environment.yml, Dockerfile, .def).
        """
        if isinstance(environment, Mapping):
            made, place = dict(environment), folder or Path.cwd()
        else:
            made, place = (
                self.read_environment(environment)["environment"],
                Path(environment).parent,
            )
        body = {
            "environment": self.with_files(made, place),
            "name": name,
            "endpoint": on,
            "runtime": runtime,
            "upgrade": upgrade,
            "account": account,
        }
        return dict(self.transport.post(f"{API}/images/builds", body, creates=True))

    def build(self, task: str) -> JsonObject:
        """A build with its steps and its failure, if any."""
        return dict(self.transport.get(f"{API}/images/builds/{path_segment(task)}"))

    def resume_build(
        self,
        task: str,
        *,
        edits: Mapping[str, str] | None = None,
        environment: Mapping[str, Any] | None = None,
    ) -> JsonObject:
        """Resume a build that has ended; `edits` by step name: `{"command-2": "make"}`."""
        body: JsonObject = {"edits": dict(edits or {})}
        if environment is not None:
            body["environment"] = dict(environment)
        path = f"{API}/images/builds/{path_segment(task)}/resume"
        return dict(self.transport.post(path, body, creates=True))

    def import_environment(self, name: str, text: str) -> JsonObject:
        """Convert a requirements.txt, environment.yml, Dockerfile or .def: `{"environment", "yaml", "left_out", "copies"}`."""
        return dict(self.transport.post(f"{API}/images/import", {"name": name, "text": text}))

    def preview_environment(
        self, environment: Mapping[str, Any], *, on: str = "auto"
    ) -> JsonObject:
        body = {"environment": dict(environment), "endpoint": on}
        return dict(self.transport.post(f"{API}/images/preview", body))

    def read_environment(self, file: str | Path) -> JsonObject:
        """Read an environment from a file: Diamond's YAML, or a format that is imported."""
        from diamond.notation.yaml_reader import read_spec

        path = Path(file)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadRequest(
                f"Cannot read {path}: {error}", "Give the path of a text file."
            ) from None
        if path.suffix in (".yaml", ".yml"):
            read = read_spec(text, str(path))
            if "dependencies" not in read and "channels" not in read:
                return {"environment": read, "left_out": [], "copies": {}}
        imported = self.import_environment(path.name, text)
        wanted = [{"from": source, "to": to} for source, to in imported["copies"].items()]
        files = [*imported["environment"].get("files", []), *wanted]
        return {
            **imported,
            "environment": {**imported["environment"], **({"files": files} if files else {})},
        }

    def with_files(
        self, environment: Mapping[str, Any], folder: Path, *, send: bool = True
    ) -> JsonObject:
        """The environment with each local file uploaded and replaced by its digest."""
        listed = environment.get("files") or []
        if not isinstance(listed, list) or not all(
            isinstance(listed_file, Mapping) for listed_file in listed
        ):
            return dict(environment)  # The service says what is wrong with it.
        files = [self._uploaded(file, folder, send) for file in listed]
        return {**environment, **({"files": files} if files else {})}

    def copy_image(
        self, image: str, on: str, how: str = "auto", *, account: str = "auto"
    ) -> JsonObject:
        """Make an image available on an endpoint: `{"how": "here|move|rebuild", "words", "move", "build"}`."""
        body = {"endpoint": on, "how": how, "account": account}
        return dict(self.transport.post(_path(image, "copies"), body, creates=True))

    def push_image(self, image: str, reference: str, *, on: str = "") -> JsonObject:
        body = {"reference": reference, "endpoint": on}
        return dict(self.transport.post(_path(image, "push"), body, creates=True))

    def pull_image(self, reference: str, *, name: str = "", on: str = "auto") -> JsonObject:
        body = {"reference": reference, "name": name, "endpoint": on}
        return dict(self.transport.post(f"{API}/images/pull", body, creates=True))

    def move(self, move: str) -> JsonObject:
        return dict(self.transport.get(f"{API}/images/moves/{path_segment(move)}"))

    def cancel_move(self, move: str) -> JsonObject:
        """Cancel a transfer: partial files are removed, and tasks that waited for it fail."""
        return dict(self.transport.post(f"{API}/images/moves/{path_segment(move)}/cancel", {}))

    def wait_for_move(
        self, move: str, on_change: Callable[[JsonObject], None] = lambda move: None
    ) -> JsonObject:
        """Wait for a transfer to finish; raises `EnvironmentFailed` if it fails. `on_change` hears how it goes."""
        while True:
            current = self.move(move)
            on_change(current)
            if current["state"] in ("failed", "cancelled"):
                raise EnvironmentFailed(
                    current["message"] or f"The transfer was {current['state']}"
                )
            if current["state"] == "done":
                return current
            time.sleep(POLL_SECONDS)

    def rename_image(self, image: str, name: str) -> JsonObject:
        return dict(self.transport.send("PATCH", _path(image), {"name": name}))

    def delete_image(self, image: str) -> None:
        self.transport.send("DELETE", _path(image))

    def prune_images(self, on: str, *, unused_days: float = 30, dry_run: bool = True) -> JsonObject:
        body = {"endpoint": on, "unused_days": unused_days, "dry_run": dry_run}
        return dict(self.transport.post(f"{API}/images/prune", body))

    def _uploaded(self, file: Mapping[str, Any], folder: Path, send: bool) -> JsonObject:
        from diamond.sdk.uploads import upload_file

        if "from" not in file:
            return dict(file)
        path = folder / str(file["from"])
        if path.is_dir():
            raise BadRequest(
                f"{path.resolve()} is a folder, but an environment can only add single files to an image",
                "List its files one by one, or remove it: a job's code is uploaded with the job.",
            )
        if not path.is_file():
            raise BadRequest(
                f"The environment adds the file {path} to the image, but it does not exist",
                "`from:` is relative to the folder of the environment file.",
            )
        if send:
            upload_file(self.transport, path)
        rest = {key: value for key, value in file.items() if key != "from"}
        mode = {"mode": 0o755} if path.stat().st_mode & 0o100 else {}
        return {**mode, **rest, "digest": "sha256:" + _sha256(path)}


def _sha256(path: Path) -> str:
    with path.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def _path(image: str, *more: str) -> str:
    return "/".join([f"{API}/images/{path_segment(image)}", *more])
