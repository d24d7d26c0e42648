"""API calls about studies: searches over the params of a spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diamond.sdk.listing import Listing
from diamond.sdk.scale_calls import ScaleCalls
from diamond.sdk.studies import Study
from diamond.sdk.transport import API, path_segment

JsonObject = dict[str, Any]


class StudyCalls(ScaleCalls):
    if TYPE_CHECKING:  # Of `Client`, which reads specs and uploads their code.

        def _spec(
            self,
            spec: Any,
            on: str | None,
            settings: Any,
            folder: Path | None,
            *,
            with_code: bool,
        ) -> tuple[JsonObject, Path]: ...

        def _request(
            self,
            spec: JsonObject,
            base: Path,
            say: Callable[[str], None],
            *,
            with_code: bool,
            project: str = "",
        ) -> tuple[JsonObject, list[str]]: ...

    def study(
        self,
        spec: str | Path | Mapping[str, Any],
        *,
        on: str | None = None,
        set: Sequence[str] | Mapping[str, Any] = (),
        folder: Path | None = None,
        with_code: bool = True,
        project: str = "",
        say: Callable[[str], None] = lambda message: None,
    ) -> Study:
        """Start the search of a spec with a `study:` block; arguments as in `run`. `.wait()` waits for its end."""
        prepared, base = self._spec(spec, on, set, folder, with_code=with_code)
        if on is not None and isinstance(prepared.get("study"), dict):
            prepared["study"] = {**prepared["study"], "on": [on]}
        body, notes = self._request(prepared, base, say, with_code=with_code, project=project)
        made = dict(self.transport.post(f"{API}/studies", body, creates=True))
        made["warnings"] = [*notes, *made.get("warnings", [])]
        return Study(self.transport, made)

    def tune_speed(
        self,
        spec: str | Path | Mapping[str, Any],
        wanted: Mapping[str, Any] | None = None,
        *,
        on: str | None = None,
        set: Sequence[str] | Mapping[str, Any] = (),
        folder: Path | None = None,
        say: Callable[[str], None] = lambda message: None,
    ) -> Study:
        """Search precision, batch size, data-loader workers and learning rate on one node for the highest throughput whose
        metric keeps up: `{"metric": "loss", "within": 0.05, "trials": 20}`."""
        prepared, base = self._spec(spec, on, set, folder, with_code=True)
        body, notes = self._request(prepared, base, say, with_code=True)
        for note in notes:
            say(note)
        made = self.transport.post(f"{API}/studies/tune", {**body, **(wanted or {})}, creates=True)
        return Study(self.transport, made)

    def studies(self, *, limit: int | None = None) -> Listing[Study]:
        """Newest first."""
        return self.pages(f"{API}/studies", {}, limit).of(lambda raw: Study(self.transport, raw))

    def get_study(self, study: str) -> Study:
        """Look up by id, a unique prefix of it, or name."""
        return Study(self.transport, self.transport.get(f"{API}/studies/{path_segment(study)}"))

    def open_study(
        self,
        name: str,
        objective: Mapping[str, str],
        space: Mapping[str, Any],
        *,
        trials: int = 100,
        **block: Any,
    ) -> Study:
        """A study whose points your own program tries: `study.ask()` and `study.tell(trial, value)`.

        `block`: more of the `study:` block, such as `sampler` and `seed`.
        """
        study = {"objective": dict(objective), "space": dict(space), "trials": trials, **block}
        spec = {"name": name, "study": {**study, "parallel": 0}}
        made = self.transport.post(f"{API}/studies", {"spec": spec}, creates=True)
        return Study(self.transport, made)

    def import_study(self, study: Mapping[str, Any]) -> Study:
        """One that `Study.portable` gave, or `diamond.sdk.optuna_exchange.read_study`."""
        made = self.transport.post(f"{API}/studies/import", dict(study), creates=True)
        return Study(self.transport, made)
