"""API calls about pipelines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from diamond.sdk.event_stream import EventStream
from diamond.sdk.listing import Listing
from diamond.sdk.pilot_calls import PilotCalls
from diamond.sdk.transport import API, path_segment

JsonObject = dict[str, Any]


class PipelineCalls(PilotCalls):
    def pipelines(self, *, limit: int | None = None) -> Listing[JsonObject]:
        """Newest first, with the number of steps in each state."""
        return self.pages(f"{API}/pipelines", {}, limit)

    def pipeline(self, pipeline: str) -> JsonObject:
        """Its stages, steps and outputs; look up by id or a unique prefix."""
        return dict(self.transport.get(_path(pipeline)))

    def cancel_pipeline(self, pipeline: str) -> JsonObject:
        """End its tasks. Doing it twice, or too late, is fine."""
        return dict(self.transport.post(_path(pipeline, "cancel")))

    def retry_pipeline(self, pipeline: str, stages: Sequence[str] = ()) -> JsonObject:
        """Run what failed again, and what was stopped behind it; what is done stays. Default: all stages."""
        return dict(self.transport.post(_path(pipeline, "retry"), {"stages": list(stages)}))

    def run_pipeline_again(
        self, pipeline: str, *, force: Sequence[str] = (), start_from: Sequence[str] = ()
    ) -> JsonObject:
        """The same spec and code as a new pipeline; what is done is not repeated, except from `start_from` on."""
        wanted = {"force": list(force), "start_from": list(start_from)}
        return dict(self.transport.post(_path(pipeline, "again"), wanted, creates=True))

    def wait_pipeline(
        self, pipeline: str, on_change: Callable[[JsonObject], None] = lambda pipeline: None
    ) -> JsonObject:
        """Wait for a pipeline to end; `on_change` is called for each change."""
        current = self.pipeline(pipeline)
        on_change(current)
        if current["state"] != "running":
            return current
        for event in EventStream(self.transport, [], after="now"):
            is_news = event.kind == "changed" and event.data.get("what") == "pipelines"
            if event.kind != "connected" and not is_news:
                continue
            current = self.pipeline(current["id"])
            on_change(current)
            if current["state"] != "running":
                return current
        return current


def stage_specs(spec: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    stages = spec.get("pipeline")
    known = stages if isinstance(stages, Mapping) else {}
    return {str(name): one for name, one in known.items() if isinstance(one, Mapping)}


def spec_file_in(spec: object, code: object, folder: Path) -> str:
    """The path of the spec within the uploaded folder: changing it alone repeats no stage. Empty: it is not in there."""
    if not isinstance(spec, str | Path):
        return ""
    file = Path(spec) / "diamond.yaml" if Path(spec).is_dir() else Path(spec)
    root = (folder / code if isinstance(code, str) else folder).resolve()
    real = file.resolve()
    return real.relative_to(root).as_posix() if root in real.parents else ""


def _path(pipeline: str, *more: str) -> str:
    return "/".join([f"{API}/pipelines/{path_segment(pipeline)}", *more])
