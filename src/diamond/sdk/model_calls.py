"""API calls about models: versions, aliases, cards."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from diamond.core.errors import Conflict, NotFound
from diamond.core.references import read_reference
from diamond.sdk.image_calls import POLL_SECONDS, ImageCalls
from diamond.sdk.listing import Listing
from diamond.sdk.transport import API, path_segment

JsonObject = dict[str, Any]
Heard = Callable[[JsonObject], None]
NEWEST = "newest"


def _ignore(_: JsonObject) -> None:
    pass


class ModelCalls(ImageCalls):
    def models(self, *, search: str = "", limit: int | None = None) -> Listing[JsonObject]:
        """Yours and those shared with you, the last changed first."""
        return self.pages(f"{API}/models", {"search": search}, limit)

    def model(self, model: str) -> JsonObject:
        """By name or id, or `OWNER/NAME` if somebody shares it with you."""
        return dict(self.transport.get(self._model_path(model)))

    def model_versions(self, model: str, limit: int | None = None) -> Listing[JsonObject]:
        return self.pages(self._model_path(model, "versions"), {}, limit)

    def model_version(self, model: str) -> JsonObject:
        """What `NAME@production`, `NAME@v3` or `NAME` means now."""
        return dict(self.transport.get(self._version_path(model)))

    def model_card(self, model: str) -> JsonObject:
        """In Markdown: `{"text", "is_edited"}`."""
        version = _version_word(model)
        return dict(self.transport.get(self._model_path(model, "card"), {"version": version}))

    def add_model_version(
        self,
        name: str,
        *,
        task: str = "",
        result: str = "artifacts",
        digest: str = "",
        note: str = "",
        tags: Sequence[str] = (),
    ) -> JsonObject:
        """A new version from a result of a task, or from files by digest. A name that is new is made."""
        body = {"note": note, "tags": list(tags)}
        body |= {"digest": digest} if digest else {"task": task, "result": result}
        path = self._model_path(name, "versions")
        return dict(self.transport.post(path, body, creates=True))

    def push_model(
        self,
        name: str,
        folder: Path | str,
        *,
        on: str = "",
        hashed: Heard = _ignore,
        sent: Heard = _ignore,
        **about: Any,
    ) -> JsonObject:
        """A folder of this computer, or of the endpoint `on`, as a new version of a model.

        `about`: format, signature, note, tags. Returns the version. If it is interrupted, the same call continues it.
        """
        from diamond.sdk.data_upload import Doors, send_list, send_rounds

        path = self._model_path(name, "pushes")
        if on:
            body = {"endpoint": on, "path": str(folder), **about}
            pushed = dict(self.transport.post(path, body))
            while pushed["state"] in ("waiting", "running"):
                time.sleep(POLL_SECONDS)
                pushed = dict(self.transport.get(f"{API}/model-pushes/{pushed['id']}"))
                hashed(pushed)
            if pushed["state"] != "done":
                raise Conflict(str(pushed["message"] or f"The push was {pushed['state']}"))
        else:
            listed = send_list(self.transport, Path(folder), hashed)
            body = {"digest": listed.digest, "source": str(folder), **about}
            pushed = dict(self.transport.post(path, body))
            door = f"{API}/model-pushes/{path_segment(pushed['id'])}"
            pushed = send_rounds(self.transport, pushed, listed, Doors(door, door), sent)
        return self.model_version(f"{name}@v{pushed['version']}")

    def results(self, task: str) -> list[JsonObject]:
        """What a task left behind, with digests and places."""
        return list(self.transport.get(f"{API}/tasks/{path_segment(task)}/results")["items"])

    def name_result(
        self,
        task: str,
        path: str = "artifacts",
        *,
        name: str = "",
        kind: str = "files",
        wait: bool = True,
        on_change: Callable[[JsonObject], None] = lambda result: None,
    ) -> JsonObject:
        """Name a file or folder of an ended task as a result: it is hashed where it is."""
        name = name or path.strip("/").rpartition("/")[2]
        body = {"path": path, "name": name, "kind": kind}
        result = dict(self.transport.post(f"{API}/tasks/{path_segment(task)}/results", body))
        while wait and result["state"] == "waiting":
            on_change(result)
            time.sleep(POLL_SECONDS)
            result = next(item for item in self.results(task) if item["name"] == name)
        return result

    def add_result_as_data(
        self, name: str, task: str, result: str = "artifacts", *, path: str = "", **about: Any
    ) -> JsonObject:
        """Make a result of a task a version of a dataset. Nothing is copied: it is hashed in place.

        `path`: a file or folder of the run directory that has no name yet. `about`: description, license, layout, project, endpoints.
        """
        key = str(self.transport.get(f"{API}/tasks/{path_segment(task)}")["id"])
        known = {found["name"]: found["state"] for found in self.results(key)}
        if path or known.get(result) not in ("ready", "waiting"):
            result = self.name_result(key, path or result, kind="dataset")["name"]
        while next(one for one in self.results(key) if one["name"] == result)["state"] == "waiting":
            time.sleep(POLL_SECONDS)
        where = f"{API}/tasks/{path_segment(key)}/results/{path_segment(result)}/dataset"
        return dict(self.transport.post(where, {"name": name, **about}))

    def model_safety(self, model: str) -> JsonObject:
        """Whether a copy is where nobody purges it: `{"state", "message"}`."""
        return dict(self.transport.get(self._version_path(model) + "/safety"))

    def keep_model(
        self,
        model: str,
        *,
        wait: bool = True,
        on_change: Callable[[JsonObject], None] = lambda safety: None,
    ) -> JsonObject:
        """Copy the files of a version to the service, so that they outlive their endpoint."""
        safety = dict(self.transport.post(self._version_path(model) + "/keep"))
        while wait and safety["state"] == "copying":
            on_change(safety)
            time.sleep(POLL_SECONDS)
            safety = self.model_safety(model)
        return safety

    def model_tuning(self, model: str) -> JsonObject:
        """A spec that continues from a version: `{"spec", "code", "task", "reference"}`."""
        return dict(self.transport.get(self._version_path(model) + "/tuning"))

    def pull_model(
        self,
        model: str,
        folder: Path | str,
        on_progress: Callable[[int, int], None] = lambda done, size: None,
    ) -> Path:
        """Download the files of a version into a folder, each verified; what is there already is not fetched again."""
        from diamond.sdk.model_download import pull

        return pull(self.transport, self._version_path(model), Path(folder), on_progress)

    def add_hub_files(self, model: str, folder: Path | str) -> list[Path]:
        """Beside the files of a version: what the Hugging Face hub expects. What is there already stays."""
        from diamond.sdk.hub_layout import hub_files

        version, card = self.model_version(model), self.model_card(model)
        files = hub_files(version, str(card["text"]))
        if version["has_curves"]:
            files["curves.svg"] = self.model_curves(model)
        made = []
        for name, text in files.items():
            place = Path(folder) / name
            if not place.exists():
                place.write_text(text)
                made.append(place)
        return made

    def model_curves(self, model: str) -> str:
        """A picture of what the run that made a version logged, as SVG."""
        return self.transport.call("GET", self._version_path(model) + "/curves").body.decode()

    def create_model(self, name: str, **fields: Any) -> JsonObject:
        """`description`, `license`, `intended_use`, `tags`."""
        return dict(self.transport.post(f"{API}/models", {"name": name, **fields}, creates=True))

    def change_model(self, model: str, **fields: Any) -> JsonObject:
        """`name`, `description`, `license`, `intended_use`, `tags`, `card`; what is left out stays."""
        return dict(self.transport.send("PATCH", self._model_path(model), fields))

    def change_model_version(
        self, model: str, *, note: str | None = None, tags: Sequence[str] | None = None
    ) -> JsonObject:
        body = {"note": note, "tags": None if tags is None else list(tags)}
        given = {name: value for name, value in body.items() if value is not None}
        return dict(self.transport.send("PATCH", self._version_path(model), given))

    def set_model_alias(self, model: str, alias: str, version: int) -> list[JsonObject]:
        """Point an alias to a version, from wherever it pointed before."""
        path = self._model_path(model, "aliases", path_segment(alias))
        return list(self.transport.send("PUT", path, {"version": version})["items"])

    def remove_model_alias(self, model: str, alias: str) -> None:
        self.transport.send("DELETE", self._model_path(model, "aliases", path_segment(alias)))

    def model_alias_history(self, model: str) -> list[JsonObject]:
        """Who moved which alias when, the newest first."""
        return list(self.transport.get(self._model_path(model, "aliases"))["items"])

    def delete_model(self, model: str) -> None:
        self.transport.send("DELETE", self._model_path(model))

    def _model_path(self, model: str, *rest: str) -> str:
        return "/".join([f"{API}/models", path_segment(self._model_word(model)), *rest])

    def _version_path(self, model: str) -> str:
        return self._model_path(model, "versions", path_segment(_version_word(model)))

    def _model_word(self, model: str) -> str:
        """Its name, or the id of somebody else's."""
        reference = read_reference(model)
        if not reference.owner:
            return reference.name
        for found in self.models(search=reference.name):
            owners = (found["owner"], found["owner_name"])
            if found["name"] == reference.name and reference.owner in owners:
                return str(found["id"])
        raise NotFound(
            f"{reference.owner} shares no model {reference.name!r} with you",
            "`diamond model list` lists what there is.",
        )


def _version_word(model: str) -> str:
    return model.rpartition("/")[2].partition("@")[2] or NEWEST
