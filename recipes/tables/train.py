"""Boosted trees on a table that scikit-learn brings along."""

import argparse
import csv
import json
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

from diamond import training

EVERY = 10


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=120)
    parser.add_argument("--depth", type=int, default=3)
    options = parser.parse_args()
    table = load_breast_cancer()
    seen, unseen, labels, unseen_labels = train_test_split(
        table.data, table.target, test_size=0.3, random_state=0, stratify=table.target
    )
    model = GradientBoostingClassifier(max_depth=options.depth, warm_start=True, random_state=0)
    for trees in range(EVERY, options.trees + 1, EVERY):
        model.set_params(n_estimators=trees).fit(seen, labels)
        chances = model.predict_proba(unseen)[:, 1]
        accuracy = accuracy_score(unseen_labels, chances > 0.5)
        loss = log_loss(labels, model.predict_proba(seen)[:, 1])
        training.log(trees, loss=loss, val_accuracy=accuracy)
    result = {"accuracy": accuracy, "auc": roc_auc_score(unseen_labels, chances)}
    Path("result.json").write_text(json.dumps(result))
    rows = [
        (n, table.target_names[truth], f"{chances[n]:.4f}") for n, truth in enumerate(unseen_labels)
    ]
    write("predictions.csv", ["row", "truth", "chance of benign"], rows)
    weights = model.feature_importances_
    ranked = sorted(
        ((weights[n], name) for n, name in enumerate(table.feature_names)), reverse=True
    )
    write("importance.csv", ["measurement", "importance"], [(n, f"{i:.4f}") for i, n in ranked])
    print(f"{result['accuracy']:.1%} of the unseen rows are right, AUC {result['auc']:.3f}")


def write(path, head, rows):
    with Path(path).open("w", newline="") as target:
        csv.writer(target).writerows([head, *rows])


if __name__ == "__main__":
    main()
