"""Which dimensions decide the objective, by Optuna's evaluators."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from diamond.core.errors import BadRequest

if TYPE_CHECKING:
    import optuna

PED_ANOVA, FANOVA = "ped-anova", "fanova"
METHODS = (PED_ANOVA, FANOVA)
FEWEST_TRIALS = 4


def importances(study: optuna.Study, objective: int, method: str) -> dict[str, float]:
    """Shares by name, highest first. Only dimensions that all complete trials have can be compared."""
    import optuna as library

    kinds = library.importance
    evaluator: optuna.importance.BaseImportanceEvaluator
    if method == FANOVA:
        if importlib.util.find_spec("sklearn") is None:
            raise BadRequest(
                "fanova needs scikit-learn, which the service does not have",
                "Use ped-anova, or install it beside the service: pip install scikit-learn",
            )
        evaluator = kinds.FanovaImportanceEvaluator(seed=0)
    else:
        evaluator = kinds.PedAnovaImportanceEvaluator()
    target = None if len(study.directions) == 1 else (lambda trial: trial.values[objective])
    try:
        return dict(kinds.get_param_importances(study, evaluator=evaluator, target=target))
    except (ValueError, RuntimeError):
        return {}  # All values are equal, or no dimension is shared by all trials.
