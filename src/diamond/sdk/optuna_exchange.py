"""Studies of Optuna: read from its storage and written there. Needs Optuna, which the service brings."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diamond.core.errors import BadRequest, NotFound
from diamond.studies.optuna_mirror import dimension_of, distribution
from diamond.studies.plan import dimension_from

if TYPE_CHECKING:
    import optuna

JsonObject = dict[str, Any]
MOST_STEPS = 1000


def open_storage(place: str) -> optuna.storages.BaseStorage:
    """A storage URL such as sqlite:///study.db, or a file: `.db` and `.sqlite` by SQLite, any other as a journal."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
    if "://" in place:
        return optuna.storages.RDBStorage(place)
    if Path(place).suffix in (".db", ".sqlite", ".sqlite3"):
        return optuna.storages.RDBStorage(f"sqlite:///{place}")
    from optuna.storages.journal import JournalFileBackend, JournalStorage

    return JournalStorage(JournalFileBackend(place))


def read_study(place: str, name: str = "", *, metrics: tuple[str, ...] = ()) -> JsonObject:
    """A study in a storage, as `Client.import_study` takes it. `metrics` names its objectives."""
    import optuna

    if "://" not in place and not Path(place).exists():
        raise NotFound(f"There is no file {place}")
    storage = open_storage(place)
    names = optuna.get_all_study_names(storage)
    chosen = name or (names[0] if len(names) == 1 else "")
    if chosen not in names:
        have = ", ".join(names[:20]) or "none"
        raise BadRequest(f"Which study of {place}?", f"Give its name. It has: {have}")
    study = optuna.load_study(study_name=chosen, storage=storage)
    words = metrics or tuple(study.metric_names or ())
    words = words or tuple(f"value_{n}" if n else "value" for n in range(len(study.directions)))
    trials = [_trial(trial) for trial in study.get_trials(deepcopy=False)]
    return {
        "name": _plain(chosen),
        "objectives": {
            word: direction.name.lower()
            for word, direction in zip(words, study.directions, strict=True)
        },
        "trials": [trial for trial in trials if trial],
        "source": f"Optuna study {_plain(chosen)}",
    }


def write_study(portable: Mapping[str, Any], place: str, name: str = "") -> int:
    """Write a study into a storage; the number of trials. A study of that name must not be there yet."""
    import optuna

    storage = open_storage(place)
    wanted = name or str(portable["name"])
    if wanted in optuna.get_all_study_names(storage):
        raise BadRequest(f"{place} has a study {wanted!r} already", "Choose another name: --name")
    objectives = dict(portable["objectives"])
    study = optuna.create_study(
        study_name=wanted, storage=storage, directions=list(objectives.values())
    )
    study.set_metric_names(list(objectives))
    study.add_trials([_frozen(each, portable["space"]) for each in portable["trials"]])
    return len(portable["trials"])


def _trial(trial: optuna.trial.FrozenTrial) -> JsonObject | None:
    """None for one that has not ended, or cannot be shown as JSON."""
    states = {"COMPLETE": "complete", "PRUNED": "pruned", "FAIL": "failed"}
    state = states.get(trial.state.name)
    if state is None:
        return None
    space = [dimension_of(name, each) for name, each in trial.distributions.items()]
    steps = sorted(trial.intermediate_values.items())[-MOST_STEPS:]
    values = list(trial.values or ()) if state == "complete" else []
    return {
        "state": state,
        "params": dict(trial.params),
        "space": [{**vars(each), "choices": list(each.choices), "when": {}} for each in space],
        "values": values,
        "steps": [(float(at), value) for at, value in steps if math.isfinite(value)],
        "created": trial.datetime_start.timestamp() if trial.datetime_start else None,
        "ended": trial.datetime_complete.timestamp() if trial.datetime_complete else None,
    }


def _frozen(given: Mapping[str, Any], space: list[JsonObject]) -> optuna.trial.FrozenTrial:
    import optuna

    state = {"complete": "COMPLETE", "pruned": "PRUNED"}.get(given["state"], "FAIL")
    known = {each["name"]: each for each in [*space, *given["space"]]}
    return optuna.trial.create_trial(
        state=optuna.trial.TrialState[state],
        values=list(given["values"]) or None,
        params=dict(given["params"]),
        distributions={name: distribution(dimension_from(known[name])) for name in given["params"]},
        intermediate_values={round(at): value for at, value in given["steps"]},
    )


def _plain(name: str) -> str:
    kept = "".join(each if each.isalnum() or each in " ._-" else "-" for each in name)
    return kept.lstrip(" ._-")[:100] or "study"
