"""A study as an object: what was found, and what to do next."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from diamond.sdk.listing import Listing
from diamond.sdk.transport import API, Transport, path_segment

JsonObject = dict[str, Any]
ENDED = ("done", "cancelled")
LOOK_SECONDS = 2.0


class Study:
    """As it was when last asked for; `refresh` asks again. `raw` is the service's whole answer."""

    def __init__(self, transport: Transport, raw: Mapping[str, Any]) -> None:
        self._transport = transport
        self.raw: Mapping[str, Any] = dict(raw)

    def __repr__(self) -> str:
        return f"Study({self.id!r}, {self.name!r}, {self.state}, {self.raw['asked']} trials)"

    @property
    def id(self) -> str:
        return str(self.raw["id"])

    @property
    def name(self) -> str:
        return str(self.raw["name"])

    @property
    def state(self) -> str:
        """running, paused, done or cancelled."""
        return str(self.raw["state"])

    @property
    def message(self) -> str:
        return str(self.raw["message"])

    @property
    def counts(self) -> dict[str, int]:
        """Trials by state."""
        return dict(self.raw["counts"])

    @property
    def best(self) -> JsonObject | None:
        """The best trial, with `params` and `values`; None before one is complete."""
        best: JsonObject | None = self.raw["best"]
        return best

    @property
    def front(self) -> list[JsonObject]:
        """With several objectives: the trials that no other one beats."""
        return list(self.raw["front"])

    def refresh(self) -> Study:
        self.raw = dict(self._transport.get(self._path()))
        return self

    def wait(
        self,
        *,
        timeout: float | None = None,
        on_change: Callable[[Study], None] = lambda study: None,
    ) -> Study:
        """Wait until it is done, cancelled, or paused and asking. Raises `TimeoutError` after `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            self.refresh()
            on_change(self)
            busy = self.counts["running"] + self.counts["stopping"]
            if (self.state in ENDED and not busy) or self.state == "paused":
                return self
            if end is not None and time.monotonic() > end:
                raise TimeoutError(f"{self.name} is still {self.state}")
            time.sleep(LOOK_SECONDS)

    def trials(self, *, state: Sequence[str] = (), limit: int | None = None) -> Listing[JsonObject]:
        """Newest first."""
        return Listing(self._transport, self._path("trials"), {"state": list(state)}, limit)

    def trial(self, number: int) -> JsonObject:
        """With its intermediate values and all its tasks."""
        return dict(self._transport.get(self._path("trials", str(number))))

    def importances(self, objective: str = "", method: str = "ped-anova") -> dict[str, float]:
        """The share of each param in the variation of the objective, highest first."""
        query = {"objective": objective, "method": method}
        answer = self._transport.get(self._path("importances"), query)
        return {item["name"]: item["share"] for item in answer["items"]}

    def pause(self) -> Study:
        return self._act("pause")

    def resume(self) -> Study:
        return self._act("resume")

    def cancel(self) -> Study:
        """End all its trials."""
        return self._act("cancel")

    def stop_trial(self, number: int) -> Study:
        return self._act("trials", str(number), "stop")

    def register(self, model: str = "", *, trial: int | None = None) -> JsonObject:
        """Make the results of the best trial a new version of a model; left out: named like the study."""
        body = {"model": model, "trial": trial}
        return dict(self._transport.post(self._path("register"), body, creates=True))

    def add_points(self, points: Sequence[Mapping[str, Any]]) -> Study:
        """Try these before the sampler's own."""
        return self._act("points", body={"points": [dict(point) for point in points]})

    def raise_limits(
        self, *, trials: int | None = None, budget: str = "", parallel: int | None = None
    ) -> Study:
        """More trials, node-hours or slots; a study that is done continues."""
        wanted = {"trials": trials, "budget": budget or None, "parallel": parallel}
        body = {name: value for name, value in wanted.items() if value is not None}
        self.raw = dict(self._transport.send("PATCH", self._path(), body))
        return self

    def ask(self, count: int = 1) -> list[JsonObject]:
        """Points for your own program; fewer when `trials` is reached."""
        return list(self._transport.post(self._path("ask"), {"count": count})["trials"])

    def tell(
        self,
        trial: Mapping[str, Any] | int,
        values: float | Sequence[float] = (),
        *,
        steps: Sequence[tuple[float, float]] = (),
        pruned: bool = False,
        ask: int = 0,
    ) -> list[JsonObject]:
        """The value of a point that was asked for; without one it failed. With `ask`, the next points come back."""
        number = trial if isinstance(trial, int) else int(trial["number"])
        given = [values] if isinstance(values, (int, float)) else list(values)
        told = {"number": number, "values": given, "steps": list(steps), "pruned": pruned}
        body = {"trials": [told], "ask": ask}
        return list(self._transport.post(self._path("tell"), body)["trials"])

    def csv(self) -> str:
        """All trials, one line each."""
        return self._transport.call("GET", self._path("export")).body.decode()

    def portable(self) -> JsonObject:
        """All trials with their intermediate values, as `Client.import_study` takes them."""
        return dict(self._transport.get(self._path("portable")))

    def _act(self, *path: str, body: Mapping[str, Any] | None = None) -> Study:
        self.raw = dict(self._transport.post(self._path(*path), dict(body or {})))
        return self

    def _path(self, *more: str) -> str:
        return "/".join([f"{API}/studies/{path_segment(self.id)}", *more])
