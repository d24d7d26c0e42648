"""API calls about datasets: add, find, copy, check, pin, make room, remove."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from diamond.core.errors import Conflict
from diamond.sdk.listing import Listing
from diamond.sdk.query_calls import QueryCalls
from diamond.sdk.transport import API, path_segment

JsonObject = dict[str, Any]
Heard = Callable[[JsonObject], None]
POLL_SECONDS = 0.5
ENDED = ("done", "failed", "cancelled", "none")


def _ignore(_: JsonObject) -> None:
    """Hears of progress, and does nothing with it."""


class DataCalls(QueryCalls):
    def datasets(
        self, *, search: str = "", shared: bool = False, limit: int | None = None
    ) -> Listing[JsonObject]:
        """Newest first; `shared`: those of others that you may use."""
        return self.pages(f"{API}/datasets", {"search": search, "shared": shared}, limit)

    def dataset(self, name: str) -> JsonObject:
        """Look up by name or id."""
        return dict(self.transport.get(_path(name)))

    def find_data(self, reference: str) -> JsonObject:
        """What `era5`, `era5@v2`, `era5@sha256:…` or `OWNER/era5` means now: `{"dataset", "version"}`."""
        return dict(self.transport.get(f"{API}/datasets/reference", {"text": reference}))

    def add_data(
        self,
        name: str,
        *,
        path: str = "",
        url: str = "",
        on: str = "",
        secret: str = "",
        server: str = "",
        sha256: str = "",
        unpack: bool = False,
        **about: Any,
    ) -> JsonObject:
        """Register a folder of an endpoint in place, or have the endpoint fetch a URL.

        Of a URL: `secret` names a secret of the endpoint, `server` is the address of S3-compatible storage or a hub, `sha256` is what
        a file must be, `unpack` unpacks archives. `about`: description, license, layout, project, endpoints. Returns the
        addition; `wait_for_addition` waits for its end.
        """
        body = {"name": name, "path": path, "url": url, "endpoint": on, **about}
        body |= {"secret": secret, "server": server, "sha256": sha256, "unpack": unpack}
        return dict(self.transport.post(f"{API}/datasets", body, creates=True))

    def upload_data(
        self,
        name: str,
        folder: str | Path,
        *,
        on: str = "",
        hashed: Heard = _ignore,
        sent: Heard = _ignore,
        **about: Any,
    ) -> JsonObject:
        """Upload a folder of this computer to an endpoint; only what is missing there is sent.

        The same call continues an upload that was interrupted. Returns the addition at its end.
        """
        from diamond.sdk.data_upload import upload_folder

        return upload_folder(
            self.transport, name, Path(folder), on=on, about=about, hashed=hashed, sent=sent
        )

    def addition(self, addition: str) -> JsonObject:
        return dict(self.transport.get(f"{API}/datasets/additions/{path_segment(addition)}"))

    def cancel_addition(self, addition: str) -> JsonObject:
        path = f"{API}/datasets/additions/{path_segment(addition)}/cancel"
        return dict(self.transport.post(path, {}))

    def wait_for_addition(self, addition: str, on_change: Heard = _ignore) -> JsonObject:
        """Raises `Conflict` if it fails; the message names the files."""
        return self._wait(lambda: self.addition(addition), on_change)

    def change_dataset(self, name: str, **changes: Any) -> JsonObject:
        """name, description, license, layout, endpoints, anywhere."""
        return dict(self.transport.send("PATCH", _path(name), changes))

    def dataset_files(
        self, name: str, *, version: str = "", folder: str = "", after: str = ""
    ) -> JsonObject:
        query = {"version": version, "folder": folder, "after": after}
        return dict(self.transport.get(_path(name, "files"), query))

    def dataset_uses(self, name: str, limit: int | None = None) -> Listing[JsonObject]:
        return self.pages(_path(name, "uses"), {}, limit)

    def dataset_places(self, name: str, *, version: str = "") -> JsonObject:
        """Every copy on your endpoints: `{"items", "advice"}`."""
        return dict(self.transport.get(_path(name, "places"), {"version": version}))

    def copy_data(
        self, name: str, to: str, *, version: str = "", layout: str | None = None
    ) -> JsonObject:
        """Bring a version to an endpoint: `{"how": "here|transfer", "words", "transfer", "advice"}`."""
        body = {"endpoint": to, "version": version, "layout": layout}
        return dict(self.transport.post(_path(name, "copies"), body, creates=True))

    def data_transfer(self, transfer: str) -> JsonObject:
        return dict(self.transport.get(f"{API}/datasets/transfers/{path_segment(transfer)}"))

    def cancel_data_transfer(self, transfer: str) -> JsonObject:
        """Tasks that wait for it fail."""
        path = f"{API}/datasets/transfers/{path_segment(transfer)}/cancel"
        return dict(self.transport.post(path, {}))

    def wait_for_data(self, transfer: str, on_change: Heard = _ignore) -> JsonObject:
        return self._wait(lambda: self.data_transfer(transfer), on_change)

    def check_data(
        self,
        name: str,
        *,
        on: str = "",
        version: str = "",
        full: bool = False,
        source: bool = False,
    ) -> list[JsonObject]:
        """Have copies looked at by their endpoints; `full` reads every byte; `source` looks at the source instead. Returns at once."""
        body = {"endpoint": on, "version": version, "full": full, "source": source}
        return list(self.transport.post(_path(name, "checks"), body)["items"])

    def wait_for_check(self, check: str, on_change: Heard = _ignore) -> JsonObject:
        path = f"{API}/datasets/checks/{path_segment(check)}"
        return self._wait(lambda: dict(self.transport.get(path)), on_change, raises=False)

    def dataset_preview(self, name: str, *, version: str = "") -> JsonObject:
        """What its files look like: `{"version", "state", "message", "preview"}`."""
        return dict(self.transport.get(_path(name, "preview"), {"version": version}))

    def make_preview(self, name: str, *, on: str = "", version: str = "") -> JsonObject:
        """Have it made again; `wait_for_preview` waits for its end."""
        body = {"endpoint": on, "version": version}
        return dict(self.transport.post(_path(name, "preview"), body))

    def wait_for_preview(self, name: str, *, version: str = "") -> JsonObject:
        def ask() -> JsonObject:
            return self.dataset_preview(name, version=version)

        return self._wait(ask, _ignore, raises=False)

    def pin_data(
        self, name: str, *, on: str = "", version: str = "", pinned: bool = True
    ) -> JsonObject:
        body = {"endpoint": on, "version": version, "pinned": pinned}
        return dict(self.transport.post(_path(name, "pin"), body))

    def remove_copies(
        self,
        name: str,
        *,
        on: str = "",
        version: str = "",
        layout: str | None = None,
        force: bool = False,
    ) -> JsonObject:
        body = {"endpoint": on, "version": version, "layout": layout, "force": force}
        return dict(self.transport.post(_path(name, "copies/remove"), body))

    def remove_dataset(self, name: str, *, version: str = "") -> None:
        """The name, or one version of it; files stay where they are."""
        query = f"?version={path_segment(version)}" if version else ""
        self.transport.send("DELETE", _path(name) + query)

    def make_room(
        self, *, on: str = "", unused_days: float = 30, free_bytes: int = 0, dry_run: bool = True
    ) -> JsonObject:
        """Copies that may go, least recently used first; removed only without `dry_run`."""
        body = {
            "endpoint": on,
            "unused_days": unused_days,
            "free_bytes": free_bytes,
            "dry_run": dry_run,
        }
        return dict(self.transport.post(f"{API}/datasets/gc", body))

    def _wait(
        self, ask: Callable[[], JsonObject], on_change: Heard, *, raises: bool = True
    ) -> JsonObject:
        while True:
            now = ask()
            on_change(now)
            if now["state"] in ENDED:
                if raises and now["state"] != "done":
                    raise Conflict(_why(now), "The same command continues where it stopped.")
                return now
            time.sleep(POLL_SECONDS)


def _why(work: JsonObject) -> str:
    text = str(work.get("message") or f"It was {work['state']}")
    named = [str(path) for path in work.get("named") or []]
    if not named or named[0] in text:
        return text
    return f"{text}: {', '.join(named[:10])}" + (" …" if len(named) > 10 else "")


def _path(name: str, rest: str = "") -> str:
    path = f"{API}/datasets/{path_segment(name)}"
    return f"{path}/{rest}" if rest else path
