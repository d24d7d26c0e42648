"""Data of an order on this machine, checked before each start."""

from __future__ import annotations

from pathlib import Path

from diamond.agent.data.places import TreePlaces
from diamond.core.artifacts import plain_digest
from diamond.core.errors import NotFound
from diamond.core.order import OrderedTree
from diamond.runtimes.below import below, steps_of


def ready_tree(places: TreePlaces, ordered: OrderedTree) -> str:
    """Where it is. Raises `NotFound`; `DataChanged` for files that are not as they were registered."""
    tree = plain_digest(ordered.digest)
    place = places.find(tree, ordered.layout)
    if place is None:
        raise NotFound(
            f"{tree[:12]} is not on this machine as {ordered.layout}",
            "Submit it again: the data is copied here first.",
        )
    checked = places.check(place)
    places.use(checked)
    if ordered.file and Path(checked.path).is_dir():  # a copy: the file is in its folder
        return str(below(Path(checked.path), *steps_of(ordered.file)))
    return checked.path
